/**
 * @fileoverview A node with a Redis store for load tests. Prints its address, and its heap size after each message.
 * @module tools/load/node
 */
import { setImmediate } from "node:timers/promises";
import { redis } from "@tenon/redis";
import { defineServer } from "tenon";
import { serve } from "tenon/node";

const server = defineServer({ name: "sessions", version: "1" }).tool("echo", { handler: () => "ok" });
const store = redis({ url: process.argv[2] ?? "", keys: ["a secret that only this test uses"] });
const running = await serve(server, { port: 0, store, banner: false });
process.send?.(running.url);

process.on("message", () => {
  void readHeap().then((bytes) => process.send?.(bytes));
});

/** Collects garbage until finalizers have nothing left to release. */
async function readHeap(): Promise<number> {
  for (let turn = 0; turn < 5; turn++) {
    globalThis.gc?.();
    await setImmediate();
  }
  return process.memoryUsage().heapUsed;
}
