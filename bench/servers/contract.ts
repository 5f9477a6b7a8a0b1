/**
 * @fileoverview The interface of every benchmark server, so that one host can start any of them.
 * @module bench/servers/contract
 */

/** Kind of requests: legacy without sessions, legacy with sessions, or those of 2026-07-28. */
export type Mode = "stateless" | "session" | "modern";

/** Configuration of a server. */
export interface Setup {
  readonly mode: Mode;
  /** Total number of tools; `add` and `echo` are the first two. */
  readonly tools: number;
}

/** Answers one message, as text. */
export type TextServer = (text: string) => string | Promise<string>;

/** A measured server. It omits unsupported transports. */
export interface Adapter {
  /** Listens on a loopback port and returns the port. */
  readonly http?: (setup: Setup) => Promise<number>;
  /** Serves on the standard streams of the process. */
  readonly stdio?: (setup: Setup) => Promise<void> | void;
  /** Serves as a function, without a transport. */
  readonly inProcess?: (setup: Setup) => Promise<TextServer> | TextServer;
  /** Returns the CPU time of the other processes of this server, in microseconds. */
  readonly cpuUs?: () => number;
}
