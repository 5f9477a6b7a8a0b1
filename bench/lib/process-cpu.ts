/**
 * @fileoverview CPU time of other processes.
 * @module bench/lib/process-cpu
 */
import { readdirSync, readFileSync } from "node:fs";

/** Reads the CPU time of a process in microseconds. Linux counts it for each thread, in nanoseconds. */
export function processCpuUs(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const [onCpu] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
    nanoseconds += Number(onCpu);
  }
  return nanoseconds / 1000;
}
