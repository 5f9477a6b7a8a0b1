/**
 * @fileoverview Signs the state that a client holds between the rounds of a call, so that it cannot be changed. States
 * have the official SDK's format: servers with either package can read each other's states.
 * @module sdk/v2/input/request-state-codec
 */
import { fromBase64Url, toBase64Url } from "@tenon/internal/base64";
import { isJsonObject, readJson } from "@tenon/internal/json";
import { decodeUtf8, encodeUtf8 } from "@tenon/internal/utf8";
import type { ServerContext } from "../types.js";

/** Options for `createRequestStateCodec`. */
export interface RequestStateCodecOptions {
  /** Secret of at least 32 bytes. All processes that serve the same clients must use the same one. */
  readonly key: Uint8Array | string;
  /**
   * Lifetime of a state in seconds.
   * @default 600
   */
  readonly ttlSeconds?: number;
  /** Returns the value that a state is bound to, such as the caller's ID. Stops other callers from using it. */
  readonly bind?: (ctx: ServerContext) => string;
}

/** Signs states, and verifies them. */
export interface RequestStateCodec<T = unknown> {
  /** Signs a payload. Returns the value for `inputRequired({ requestState })`. */
  mint(payload: T, ctx?: ServerContext): Promise<string>;
  /** Verifies a state and returns its payload. Use it as `requestState.verify`. */
  verify(state: string, ctx: ServerContext): Promise<T>;
}

const PREFIX = "v1.";
const BIND_LABEL = "mcp.requestState.bind:";
/** Length of the tag that binds a state to a value, in bytes. */
const BIND_TAG_BYTES = 16;

/** Creates a codec that signs states with HMAC-SHA-256. @throws if the key is shorter than 32 bytes */
export function createRequestStateCodec<T = unknown>(
  options: RequestStateCodecOptions,
): RequestStateCodec<T> {
  const { key, ttlSeconds = 600, bind } = options;
  // A copy, because the caller may clear its own.
  const secret = typeof key === "string" ? encodeUtf8(key) : Uint8Array.from(key);
  if (secret.byteLength < 32) {
    throw new RangeError(`createRequestStateCodec: key must be at least 32 bytes (got ${secret.byteLength})`);
  }
  if (!Number.isFinite(ttlSeconds)) {
    throw new RangeError("createRequestStateCodec: ttlSeconds must be a finite number");
  }
  const sign = createSigner(secret);
  const tagOf = async (ctx: ServerContext, bound: (ctx: ServerContext) => string) =>
    toBase64Url((await sign(BIND_LABEL + bound(ctx))).slice(0, BIND_TAG_BYTES));
  return {
    async mint(payload, ctx) {
      if (bind !== undefined && ctx === undefined) {
        throw new TypeError(
          "createRequestStateCodec: mint() requires ctx when a bind callback is configured",
        );
      }
      const tag = bind === undefined || ctx === undefined ? {} : { b: await tagOf(ctx, bind) };
      const exp = Math.floor(Date.now() / 1_000) + ttlSeconds;
      const body = PREFIX + toBase64Url(encodeUtf8(JSON.stringify({ p: payload, exp, ...tag })));
      return `${body}.${toBase64Url(await sign(body))}`;
    },

    async verify(state, ctx) {
      const dot = state.lastIndexOf(".");
      if (!state.startsWith(PREFIX) || dot <= PREFIX.length) throw new Error("malformed");
      const body = state.slice(0, dot);
      if (!isSame(state.slice(dot + 1), toBase64Url(await sign(body)))) throw new Error("mac");
      const { p, exp, b } = parseBody(body.slice(PREFIX.length));
      if (typeof exp !== "number" || exp < Math.floor(Date.now() / 1_000)) throw new Error("expired");
      // A bound state is also rejected if binding was turned off since: the guarantee would be lost silently.
      const expected = bind === undefined ? undefined : await tagOf(ctx, bind);
      const isBound = expected === undefined ? b === undefined : typeof b === "string" && isSame(b, expected);
      if (!isBound) throw new Error("bind");
      return p as T; // Safe: this codec, or another with the same key, signed it
    },
  };
}

function createSigner(secret: Uint8Array<ArrayBuffer>): (text: string) => Promise<Uint8Array> {
  let imported: ReturnType<typeof crypto.subtle.importKey> | undefined;
  return async (text) => {
    imported ??= crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    return new Uint8Array(await crypto.subtle.sign("HMAC", await imported, encodeUtf8(text)));
  };
}

function parseBody(text: string): { readonly p?: unknown; readonly exp?: unknown; readonly b?: unknown } {
  const bytes = fromBase64Url(text);
  const value = readJson((bytes && decodeUtf8(bytes)) ?? "");
  if (!isJsonObject(value)) throw new Error("malformed");
  return value;
}

/** Compares two texts in a time that depends only on their lengths. */
function isSame(left: string, right: string): boolean {
  let difference = left.length ^ right.length;
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    difference |= left.charCodeAt(at) ^ right.charCodeAt(at);
  }
  return difference === 0;
}
