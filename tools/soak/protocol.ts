/**
 * @fileoverview Messages between the soak test and its processes.
 * @module tools/soak/protocol
 */
import type { Break } from "./breaks.js";
import type { Reading } from "./probe.js";
import type { TallyData } from "./tally.js";

/** Transport that a process serves. `memory` runs its own clients. */
export type Mode = "http" | "fetch" | "sse" | "stdio" | "memory" | "agent";

/** Settings of a process, its only argument. */
export interface ProcessSettings {
  readonly mode: Mode;
  readonly breaks: readonly Break[];
  /** Empty folder for files. */
  readonly folder: string;
}

/** Time and random choices of one period of load. */
export interface LoadPlan {
  readonly ms: number;
  readonly seed: number;
  /** Number of clients at the same time. */
  readonly clients: number;
  /** Time in milliseconds after which a request counts as lost. */
  readonly hangMs: number;
}

/** Request to a process: measure, or run the load of the in-memory clients. */
export type Command = { readonly kind: "read" } | { readonly kind: "load"; readonly plan: LoadPlan };

/** Message of a process: its port when it has started, or the response to a command. */
export type Report =
  | { readonly kind: "ready"; readonly port: number }
  | { readonly kind: "reading"; readonly reading: Reading }
  | { readonly kind: "loaded"; readonly tally: TallyData };
