/**
 * @fileoverview Memory of a server process: its size now, and the largest sizes during a run.
 * @module bench/servers/memory-watch
 */
import { GCProfiler } from "node:v8";
import type { HostReply } from "./host-protocol.js";

let profiler: GCProfiler | undefined;

/** Returns the sizes after a garbage collection, if the process was started with `--expose-gc`. */
export function readMemory(): HostReply {
  for (let turn = 0; turn < 4; turn++) globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, heapUsed, external };
}

/** Starts to record every garbage collection. The heap is largest right before one. */
export function watchHeap(): void {
  profiler = new GCProfiler();
  profiler.start();
}

/** Stops recording, and returns the largest sizes. */
export function readPeak(): HostReply {
  const { statistics = [] } = profiler?.stop() ?? {};
  profiler = undefined;
  const { heapUsed, external } = process.memoryUsage();
  const before = statistics.map(({ beforeGC }) => beforeGC.heapStatistics);
  return {
    maxRss: process.resourceUsage().maxRSS * 1024,
    maxHeap: Math.max(heapUsed, ...before.map(({ usedHeapSize }) => usedHeapSize)),
    maxExternal: Math.max(external, ...before.map(({ externalMemory }) => externalMemory)),
  };
}
