/**
 * @fileoverview Blocks of frames, the targets that receive them, and the promises that a target can break.
 * @module tools/fuzz/block
 */

/** Promises by name, as the table lists them. */
export const PROMISES = {
  crash: "crashes",
  hang: "hangs",
  missing: "missing replies",
  extra: "repeated or unrequested replies",
  wrong: "replies with a wrong shape, ID, or error code",
  leak: "replies with internals",
  probe: "regular requests that failed afterwards",
  chunking: "replies that depend on the chunks",
  memory: "connections that take too much memory",
} as const;

/** Name of a promise. */
export type PromiseName = keyof typeof PROMISES;

/** Broken promise. */
export interface Problem {
  readonly promise: PromiseName;
  readonly text: string;
}

/** Bytes that a client sends as one message. */
export interface Frame {
  readonly bytes: Uint8Array;
  /** True for a WebSocket message of binary type. */
  readonly isBinary?: boolean;
  /** Verdict of a JSON corpus: a parser must accept or reject these bytes. */
  readonly verdict?: "accept" | "reject" | undefined;
}

/** Frames that one connection sends. */
export interface Block {
  readonly frames: readonly Frame[];
  /** Determines the connection's state and chunks. */
  readonly seed: number;
}

/** Sizes of the chunks in which a stream arrives. */
export type Chunking = "whole" | "random" | "bytes";

/** Result of a block. */
export interface Outcome {
  readonly problems: readonly Problem[];
  /** Replies without parts that differ in every run, such as times. */
  readonly replies: readonly string[];
}

/** Server that receives blocks. */
export interface Target {
  readonly name: string;
  /** Sends a block on a new connection. Without a chunking, the seed determines it. */
  run(block: Block, chunking?: Chunking): Promise<Outcome>;
  close(): Promise<void>;
}
