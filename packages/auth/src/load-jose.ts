/**
 * @fileoverview jose, which checks signatures: an optional peer, loaded with the first token.
 * @module auth/load-jose
 */
import type * as jose from "jose";

/** The library. */
export type Jose = typeof jose;

/** Loads it. @throws saying how to install it */
export async function loadJose(): Promise<Jose> {
  try {
    return await import("jose");
  } catch (cause) {
    throw new Error("tenon/auth needs jose: npm install jose", { cause });
  }
}
