/**
 * @fileoverview Ends a server process whose command has ended, even if the user's code blocks it. The IPC channel reports
 * the end only to a process whose event loop runs, so a second thread watches the command.
 * @module cli/dev/server/parent-watch
 */
import { Worker } from "node:worker_threads";

/** Starts the thread. It does not keep the process running. */
export function watchParent(parent: number): void {
  const worker = new Worker(CODE, { eval: true, workerData: parent, stdin: false });
  // Without the thread, the process still ends with its IPC channel.
  worker.on("error", () => undefined);
  worker.unref();
}

/** Code of the thread. A process whose parent has ended gets a new parent, except on Windows. */
const CODE = `
const { workerData: parent } = require("node:worker_threads");
setInterval(() => {
  try {
    process.kill(parent, 0);
    if (process.ppid === parent) return;
  } catch {}
  process.kill(process.pid, "SIGKILL");
}, 1000);
`;
