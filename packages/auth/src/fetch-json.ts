/**
 * @fileoverview Fetches JSON from an authorization server. Limits its nesting depth, and does not follow redirects.
 * @module auth/fetch-json
 */
import { exceedsDepth, isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import type { Fetch } from "@tenon/internal/outgoing/fetch";
import { decodeUtf8 } from "@tenon/internal/utf8";

/** Fetches a JSON object. Resolves to `undefined` for a 4xx response. @throws if the response is invalid or late */
export type FetchJson = (url: string) => Promise<JsonObject | undefined>;

/** Limits for the guarded `fetch`: time in milliseconds, and body size in bytes. */
export const RESPONSE_LIMITS = { timeoutMs: 5_000, maxBytes: 262_144 } as const;

const MAX_DEPTH = 16;

/** Creates a function that fetches JSON objects. `send` limits the time and size of each response. */
export function createFetchJson(send: Fetch): FetchJson {
  return async (url) => {
    const response = await send(url, { headers: { accept: "application/json" } });
    if (response.status >= 400 && response.status < 500) return undefined;
    if (response.status !== 200) throw new Error(`Expected HTTP status 200; got ${response.status}.`);
    const text = decodeUtf8(new Uint8Array(await response.arrayBuffer()));
    const value = text === undefined || exceedsDepth(text, MAX_DEPTH) ? undefined : readJson(text);
    if (!isJsonObject(value))
      throw new Error(`The response body must be a JSON object nested at most ${MAX_DEPTH} levels deep.`);
    return value;
  };
}
