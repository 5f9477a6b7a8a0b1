/**
 * @fileoverview Serves a folder in a child process, to measure memory and open files. The child sends its port first,
 * then one reading per message from the parent.
 * @module tests/kit/support/files/serving-child
 */
import { readdirSync, readlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createFileServingRouter } from "../../../src/files/file-serving-router.js";

/** Measurement sent to the parent. */
export interface Reading {
  /** Number of open files in the store. */
  readonly open: number;
  readonly rss: number;
  /** Node's warnings, such as a file handle closed by the garbage collector. */
  readonly warnings: readonly string[];
}

const warnings: string[] = [];
process.on("warning", ({ message }) => warnings.push(message));

const [resourceStoreUri = "", stallMs = "60000"] = process.argv.slice(2);
const folder = new URL(resourceStoreUri).pathname;
const router = createFileServingRouter({ routePrefix: "/", resourceStoreUri, stallMs: Number(stallMs) });
const http = createServer(router).listen(0, "127.0.0.1", () => {
  process.send?.((http.address() as AddressInfo).port); // listening on a port
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
    return ""; // closed in the meantime
  }
}
