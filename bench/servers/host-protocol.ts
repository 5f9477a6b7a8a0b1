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

/** Options for starting a server. */
export interface HostOptions extends Setup {
  readonly server: string;
  readonly wire: "http" | "stdio" | "in-process";
  /** Runs on all cores, together with the client, instead of on the servers' core. */
  readonly onAllCores?: boolean;
}

/** Command to run a slice of calls without a transport. */
export interface RunCommand extends Setup {
  readonly op: "run";
  readonly name: CaseName;
  readonly ms: number;
}

/** Commands of the benchmark. */
export type HostCommand = { readonly op: "cpu" } | { readonly op: "memory" } | RunCommand;

/** Reply to a command. Each command sets its own members. */
export interface HostReply {
  readonly port?: number | undefined;
  readonly buildUs?: number;
  readonly cpuUs?: number;
  readonly rss?: number;
  readonly heapUsed?: number;
  readonly external?: number;
  readonly done?: number;
  readonly errors?: number;
  readonly wallUs?: number;
}
