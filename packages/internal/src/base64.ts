/**
 * @fileoverview Canonical base64 and base64url. Text is decoded only if encoding the bytes again yields the same text,
 * so two different texts never decode to the same bytes.
 *
 * Node's `Buffer`, read from `globalThis`, is faster than `atob` and `btoa`, which other runtimes use.
 * @module internal/base64
 */
import type { Bytes } from "./bytes.js";

/** Encodes bytes as base64url without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return encodeNatively(bytes, "base64url") ?? toUrlAlphabet(encode(bytes));
}

/** Decodes unpadded base64url. Returns `undefined` for text that is not canonical. */
export function fromBase64Url(text: string): Bytes | undefined {
  if (/[^A-Za-z0-9_-]/.test(text) || text.length % 4 === 1) return undefined;
  const standard = text.replaceAll("-", "+").replaceAll("_", "/");
  return fromBase64(standard.padEnd(Math.ceil(standard.length / 4) * 4, "="));
}

/** Encodes bytes as padded base64. */
export function toBase64(bytes: Uint8Array): string {
  return encodeNatively(bytes, "base64") ?? encode(bytes);
}

/** Decodes padded base64. Returns `undefined` if the padding, the alphabet, or the trailing bits are not canonical. */
export function fromBase64(text: string): Bytes | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const native = nodeBuffer()?.from(text, "base64");
  const bytes =
    native === undefined
      ? Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
      : // A copy, because small buffers share their memory with others.
        new Uint8Array(native);
  return toBase64(bytes) === text ? bytes : undefined;
}

function nodeBuffer(): BufferConstructor | undefined {
  return (globalThis as { readonly Buffer?: BufferConstructor }).Buffer;
}

function encodeNatively(bytes: Uint8Array, encoding: "base64" | "base64url"): string | undefined {
  return nodeBuffer()?.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encoding);
}

function encode(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  }
  return btoa(binary);
}

function toUrlAlphabet(text: string): string {
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Bytes per `String.fromCharCode` call. Stays below the engine's limit on the number of arguments. */
const CHUNK = 8192;
