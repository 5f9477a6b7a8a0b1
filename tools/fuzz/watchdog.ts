/**
 * @fileoverview Ends the process if its event loop is blocked, for example by a regular expression that never ends. A
 * timer of the process itself could not fire then.
 * @module tools/fuzz/watchdog
 */
import { Worker } from "node:worker_threads";

/** Maximum time in milliseconds between two signs of life. */
const MAX_BLOCKED_MS = 120_000;

const PROGRAM = `
const { workerData } = require("node:worker_threads");
const beats = new Int32Array(workerData.beats);
let last = -1;
let since = Date.now();
setInterval(() => {
  const beat = Atomics.load(beats, 0);
  if (beat !== last) {
    last = beat;
    since = Date.now();
  } else if (Date.now() - since > workerData.maxMs) {
    require("node:fs").writeSync(2, "FAIL: the event loop was blocked for " + workerData.maxMs + " ms.\\n");
    process.kill(process.pid, "SIGKILL");
  }
}, 1000);
`;

/** Starts the watchdog. Returns a function that stops it. */
export function startWatchdog(): () => Promise<void> {
  const beats = new SharedArrayBuffer(4);
  const view = new Int32Array(beats);
  const worker = new Worker(PROGRAM, { eval: true, workerData: { beats, maxMs: MAX_BLOCKED_MS } });
  worker.unref();
  const heart = setInterval(() => Atomics.add(view, 0, 1), 500);
  heart.unref();
  return async () => {
    clearInterval(heart);
    await worker.terminate();
  };
}
