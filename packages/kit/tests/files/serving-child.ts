/**
 * @fileoverview Serves a folder in a process of its own, whose memory and open files are then its own, too. The parent
 * hears the port first, and a reading for each message that it sends.
 * @module tests/kit/files/serving-child
 */
import { readdirSync, readlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createFileServingRouter } from "../../src/files/file-serving-router.js";

/** What the parent is told on asking. */
export interface Reading {
  /** Files of the store that are open. */
  readonly open: number;
  readonly rss: number;
  /** What Node warned of: a file that was left to the garbage collector, for one. */
  readonly warnings: readonly string[];
}

const warnings: string[] = [];
process.on("warning", ({ message }) => warnings.push(message));

const [resourceStoreUri = "", stallMs = "60000"] = process.argv.slice(2);
const folder = new URL(resourceStoreUri).pathname;
const router = createFileServingRouter({ routePrefix: "/", resourceStoreUri, stallMs: Number(stallMs) });
const http = createServer(router).listen(0, "127.0.0.1", () => {
  process.send?.((http.address() as AddressInfo).port); // it listens on a port
});

process.on("message", () => {
  const open = readdirSync("/proc/self/fd").filter((fd) => targetOf(fd).startsWith(folder)).length;
  const reading: Reading = { open, rss: process.memoryUsage.rss(), warnings };
  process.send?.(reading);
});
process.on("disconnect", () => process.exit());

function targetOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return ""; // closed since it was listed
  }
}
