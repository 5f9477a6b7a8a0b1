/**
 * @fileoverview Pins servers to one core and the load client to another, if the system supports it.
 * @module bench/lib/cores
 */
import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";

/** Core shared by all servers, since only one of them works at a time. */
const SERVER_CORE = "0";
const CLIENT_CORE = "1";

/** Number of cores before this process was pinned to one. */
const availableCores = availableParallelism();

let pinned: boolean | undefined;

/** Pins this process to the client's core. Returns false if that is not possible. */
export function pinClient(): boolean {
  if (pinned !== undefined) return pinned;
  try {
    if (availableCores < 2) throw new Error("This machine has only one core.");
    execFileSync("taskset", ["-acp", CLIENT_CORE, String(process.pid)], { stdio: "ignore" });
    pinned = true;
  } catch {
    pinned = false;
  }
  return pinned;
}

/** Returns a command that runs on the core of the servers. */
export function onServerCore(program: string, args: readonly string[]): readonly [string, readonly string[]] {
  return pinClient() ? ["taskset", ["-c", SERVER_CORE, program, ...args]] : [program, args];
}

/** Returns a command that runs on all cores. Otherwise, it would run on the client's core only. */
export function onAllCores(program: string, args: readonly string[]): readonly [string, readonly string[]] {
  const cores = `0-${availableCores - 1}`;
  return pinClient() ? ["taskset", ["-c", cores, program, ...args]] : [program, args];
}

/** Moves a running process to the core of the servers, if the system supports it. */
export function moveToServerCore(pid: number): void {
  if (pinClient()) execFileSync("taskset", ["-acp", SERVER_CORE, String(pid)], { stdio: "ignore" });
}
