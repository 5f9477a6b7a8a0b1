/**
 * @fileoverview What the benchmark and the process around a server say to each other.
 * @module bench/servers/host-protocol
 */
import type { CaseName } from "../lib/cases.js";
import type { Setup } from "./contract.js";

/** How a server is started. */
export interface HostOptions extends Setup {
  readonly server: string;
  readonly wire: "http" | "stdio" | "in-process";
}

/** A slice of calls without a wire. */
export interface RunCommand extends Setup {
  readonly op: "run";
  readonly name: CaseName;
  readonly ms: number;
}

/** What can be asked. */
export type HostCommand = { readonly op: "cpu" } | { readonly op: "memory" } | RunCommand;

/** What is answered; each command fills its own part. */
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
