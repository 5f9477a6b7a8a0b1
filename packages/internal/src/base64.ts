/**
 * @fileoverview Base64 and base64url with one spelling for each value: decoded text encodes back to the same text.
 * Sealed or compared text therefore cannot change without changing its bytes.
 * @module internal/base64
 */
import type { Bytes } from "./bytes.js";

/** Encodes bytes as base64url without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Decodes unpadded base64url. Returns `undefined` for text that is not the canonical spelling. */
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

/** Decodes padded base64. Returns `undefined` if the padding, the alphabet or the trailing bits are not canonical. */
export function fromBase64(text: string): Bytes | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return toBase64(bytes) === text ? bytes : undefined;
}

/** Bytes per call of `String.fromCharCode`, below the limit on arguments of a function call. */
const CHUNK = 8192;
