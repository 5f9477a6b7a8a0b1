/**
 * @fileoverview Canonical base64 and base64url. Text is decoded only if encoding the bytes again yields the same text,
 * so two different texts never decode to the same bytes.
 * @module internal/base64
 */
import type { Bytes } from "./bytes.js";

/** Encodes bytes as base64url without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Decodes unpadded base64url. Returns `undefined` for text that is not canonical. */
export function fromBase64Url(text: string): Bytes | undefined {
  if (/[^A-Za-z0-9_-]/.test(text) || text.length % 4 === 1) return undefined;
  const standard = text.replaceAll("-", "+").replaceAll("_", "/");
  return fromBase64(standard.padEnd(Math.ceil(standard.length / 4) * 4, "="));
}

/** Encodes bytes as padded base64. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  }
  return btoa(binary);
}

/** Decodes padded base64. Returns `undefined` if the padding, the alphabet, or the trailing bits are not canonical. */
export function fromBase64(text: string): Bytes | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return toBase64(bytes) === text ? bytes : undefined;
}

/** Bytes per `String.fromCharCode` call. Stays below the engine's limit on the number of arguments. */
const CHUNK = 8192;
