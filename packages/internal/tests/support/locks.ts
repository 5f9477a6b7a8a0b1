/**
 * @fileoverview Lock files of other processes, for tests.
 * @module internal/tests/support/locks
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { compileProgram } from "../../../../tools/compile-program.js";

/** Process that creates a lock file when it is told to. */
export type LockHolderProcess = Awaited<ReturnType<typeof startLockHolder>>;

/** Starts a process. The caller kills it. */
export async function startLockHolder(path: string) {
  const file = compileProgram(fileURLToPath(new URL("lock-holder.ts", import.meta.url)));
  const child = spawn(process.execPath, [file, path], { stdio: "pipe" });
  const lines = createInterface({ input: child.stdout });
  await once(lines, "line");
  const send = async (command: string) => {
    const line = once(lines, "line");
    child.stdin.write(`${command}\n`);
    return String((await line)[0]);
  };
  return {
    pid: child.pid,
    lock: () => send("lock"),
    unlock: () => send("unlock"),
    async kill(): Promise<void> {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

/** Writes the lock file of a process. */
export function writeLock(path: string, owner: { pid: number; host?: string; startTime?: string }): void {
  writeFileSync(path, JSON.stringify({ host: hostname(), startTime: "1", ...owner }));
}

/** Makes a file look as if it was last written a time ago. */
export function setAge(path: string, ms: number): void {
  const time = (Date.now() - ms) / 1_000;
  utimesSync(path, time, time);
}
