/**
 * @fileoverview The interface of every benchmark server, so that one host can start any of them.
 * @module bench/servers/contract
 */
import type { FetchFunction } from "./node-http.js";

/** Kind of requests: legacy without sessions, legacy with sessions, or those of 2026-07-28. */
export type Mode = "stateless" | "session" | "modern";

/** Configuration of a server. */
export interface Setup {
  readonly mode: Mode;
  /** Total number of tools; `add`, `echo`, and `order` are the first ones. */
  readonly tools: number;
}

/** The used part of a message. */
export interface RawMessage {
  readonly id?: string | number;
  readonly method: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

/** Answers one message, as text. */
export type TextServer = (text: string) => string | Promise<string>;

/** Answers one message with its result. Neither is JSON text, unless the server needs it. */
export type ObjectServer = (message: RawMessage) => unknown;

/** A measured server. It omits unsupported transports. */
export interface Adapter {
  /** Listens on a loopback port and returns the port. */
  readonly http?: (setup: Setup) => Promise<number>;
  /** Creates a function from `Request` to `Response`, for the bridges of the suite `fetch`. */
  readonly fetch?: (setup: Setup) => FetchFunction;
  /** Serves on the standard streams of the process. */
  readonly stdio?: (setup: Setup) => Promise<void> | void;
  /** Serves as a function, without a transport. */
  readonly inProcess?: (setup: Setup) => Promise<TextServer> | TextServer;
  /** Serves as a function from object to object, without a transport. */
  readonly objects?: (setup: Setup) => Promise<ObjectServer> | ObjectServer;
  /** Sends a change of the tool list to every open stream. */
  readonly publish?: () => void;
  /** Returns the CPU time of the other processes of this server, in microseconds. */
  readonly cpuUs?: () => number;
}
