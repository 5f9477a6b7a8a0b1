/**
 * @fileoverview Servers on one core, the load client on another, where the system lets us choose.
 * @module bench/lib/cores
 */
import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";

/** The core that all servers share, since only one of them works at a time. */
const SERVER_CORE = "0";
const CLIENT_CORE = "1";

let pinned: boolean | undefined;

/** Puts this process on the client's core; gives whether that was possible. */
export function pinClient(): boolean {
  if (pinned !== undefined) return pinned;
  try {
    if (availableParallelism() < 2) throw new Error("one core only");
    execFileSync("taskset", ["-acp", CLIENT_CORE, String(process.pid)], { stdio: "ignore" });
    pinned = true;
  } catch {
    pinned = false;
  }
  return pinned;
}

/** A command that runs on the servers' core. */
export function onServerCore(program: string, args: readonly string[]): readonly [string, readonly string[]] {
  return pinClient() ? ["taskset", ["-c", SERVER_CORE, program, ...args]] : [program, args];
}
