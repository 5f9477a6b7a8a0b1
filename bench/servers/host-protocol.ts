/**
 * @fileoverview Messages between the benchmark and a server process.
 * @module bench/servers/host-protocol
 */
import type { CaseName } from "../lib/cases.js";
import type { Setup } from "./contract.js";

/** Environment variable with the address of the Redis that the benchmark has started. */
export const REDIS_URL = "BENCH_REDIS_URL";

/** Environment variable with the process ID of that Redis. */
export const REDIS_PID = "BENCH_REDIS_PID";

/** Bridge from `node:http` to a fetch function: `@hono/node-server`, by its major version. */
export type Bridge = "hono-1" | "hono-2";

/** Options for starting a server. */
export interface HostOptions extends Setup {
  readonly server: string;
  /** Folder below `servers/` with the server's file. By default, the file is in `servers/` itself. */
  readonly family?: "streams" | "large" | "sdk";
  readonly wire: "http" | "fetch" | "stdio" | "in-process" | "objects";
  /** Bridge for `fetch`. A server without a fetch function then uses its own HTTP server. */
  readonly bridge?: Bridge;
  /** Runs on all cores, together with the client, instead of on the servers' core. */
  readonly onAllCores?: boolean;
}

/** Command to run a slice of calls without a transport. */
export interface RunCommand extends Setup {
  readonly op: "run";
  readonly name: CaseName;
  readonly ms: number;
}

/**
 * Commands of the benchmark. `publish` sends a change to every open stream. `watch` starts to record the size of the
 * heap before each garbage collection, and `peak` returns the largest sizes since then.
 */
export type HostCommand = { readonly op: "cpu" | "memory" | "publish" | "watch" | "peak" } | RunCommand;

/** Reply to a command. Each command sets its own members. */
export interface HostReply {
  readonly port?: number | undefined;
  readonly buildUs?: number;
  readonly cpuUs?: number;
  readonly rss?: number;
  readonly heapUsed?: number;
  readonly external?: number;
  /** Largest resident size since the process started, in bytes. */
  readonly maxRss?: number;
  /** Largest heap before a garbage collection, in bytes. */
  readonly maxHeap?: number;
  /** Largest memory outside the heap before a garbage collection, in bytes. */
  readonly maxExternal?: number;
  readonly done?: number;
  readonly errors?: number;
  readonly wallUs?: number;
}
