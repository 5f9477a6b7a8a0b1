/**
 * @fileoverview What every server of the benchmark offers, so that one host can start any of them.
 * @module bench/servers/contract
 */

/** How requests are put: legacy ones that stand alone, legacy ones in sessions, or those of 2026-07-28. */
export type Mode = "stateless" | "session" | "modern";

/** What is served. */
export interface Setup {
  readonly mode: Mode;
  /** How many tools there are in all; `add` and `echo` are the first two. */
  readonly tools: number;
}

/** Answers one message, text to text. */
export type TextServer = (text: string) => string | Promise<string>;

/** A server under measurement. What it cannot do, it leaves out. */
export interface Adapter {
  /** Listens on the loopback and gives its port. */
  readonly http?: (setup: Setup) => Promise<number>;
  /** Serves on the process's own streams. */
  readonly stdio?: (setup: Setup) => Promise<void> | void;
  /** A function without a wire. */
  readonly inProcess?: (setup: Setup) => Promise<TextServer> | TextServer;
}
