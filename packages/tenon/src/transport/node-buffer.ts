/**
 * @fileoverview Fast conversions with Node's `Buffer`, read from `globalThis`. Importing `node:buffer` would load
 * streams and files and add two milliseconds to a cold start. Runtimes without `Buffer` use `TextEncoder` and
 * `TextDecoder`.
 * @module tenon/transport/node-buffer
 */
import { encodeUtf8 } from "@tenon/internal/utf8";

/** Conversions between text and bytes. */
export interface ByteFunctions {
  /** Returns a string's length in UTF-8 bytes. */
  byteLength(text: string): number;
  /** Encodes text as UTF-8. */
  encode(text: string): Uint8Array;
  /** Decodes UTF-8. Malformed bytes become U+FFFD, and a byte order mark is kept. */
  decode(bytes: Uint8Array): string;
  /** Returns a view of the same bytes that Node's streams can write without wrapping it again. */
  wrap(bytes: Uint8Array): Uint8Array;
  /** Allocates uninitialized memory. */
  allocate(length: number): Uint8Array;
}

/** Creates the functions for a runtime. @param NodeBuffer the runtime's `Buffer`, if it has one */
export function createByteFunctions(NodeBuffer: BufferConstructor | undefined): ByteFunctions {
  return hasByteFunctions(NodeBuffer) ? createNodeFunctions(NodeBuffer) : createWebFunctions();
}

let functions: ByteFunctions | undefined;

/** Returns this runtime's functions. They are created on first use, so importing this module has no side effects. */
export function byteFunctions(): ByteFunctions {
  return (functions ??= createByteFunctions(globalThis.Buffer));
}

function hasByteFunctions(
  NodeBuffer: Partial<BufferConstructor> | undefined,
): NodeBuffer is BufferConstructor {
  return (
    typeof NodeBuffer?.from === "function" &&
    typeof NodeBuffer.byteLength === "function" &&
    typeof NodeBuffer.allocUnsafeSlow === "function"
  );
}

function createNodeFunctions(NodeBuffer: BufferConstructor): ByteFunctions {
  const wrap = (given: Uint8Array) =>
    given instanceof NodeBuffer ? given : NodeBuffer.from(given.buffer, given.byteOffset, given.length);
  return {
    byteLength: (text) => NodeBuffer.byteLength(text),
    encode: (text) => NodeBuffer.from(text),
    decode: (given) => wrap(given).toString(),
    wrap,
    allocate: (length) => NodeBuffer.allocUnsafeSlow(length),
  };
}

function createWebFunctions(): ByteFunctions {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return {
    byteLength: (text) => encodeUtf8(text).length,
    encode: encodeUtf8,
    decode: (given) => decoder.decode(given),
    wrap: (given) => given,
    allocate: (length) => new Uint8Array(length),
  };
}
