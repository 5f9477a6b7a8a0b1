/**
 * @fileoverview Fetches JSON from an authorization server. Limits time, size, and nesting depth, and does not follow
 * redirects.
 * @module auth/fetch-json
 */
import { exceedsDepth, isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import type { Ports } from "@tenon/internal/ports";
import { decodeUtf8 } from "@tenon/internal/utf8";

/** Subset of the `fetch` API that this package uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Fetches a JSON object. Resolves to `undefined` for a 4xx response. @throws if the response is invalid or late */
export type FetchJson = (url: string) => Promise<JsonObject | undefined>;

/** Response limits: time in milliseconds, body size in bytes, and JSON nesting depth. */
const TIME_OUT_MS = 5_000;
const MAX_BYTES = 262_144;
const MAX_DEPTH = 16;

/** Creates a function that fetches JSON objects and enforces the limits above. */
export function createFetchJson(fetch: Fetch, ports: Pick<Ports, "startTimer">): FetchJson {
  return async (url) => {
    const controller = new AbortController();
    const stop = ports.startTimer(() => controller.abort(), TIME_OUT_MS);
    try {
      return await unlessAborted(controller.signal, ask(fetch, url, controller.signal));
    } finally {
      stop();
      controller.abort(); // stops the download of a rejected response
    }
  };
}

async function ask(fetch: Fetch, url: string, signal: AbortSignal): Promise<JsonObject | undefined> {
  const headers = { accept: "application/json" };
  // Only the given URL is trusted, so redirects are not followed.
  const response = await fetch(url, { headers, redirect: "manual", signal });
  if (response.status >= 400 && response.status < 500) return undefined;
  if (response.status !== 200) throw new Error(`Expected HTTP status 200; got ${response.status}.`);
  const text = decodeUtf8(await readBounded(response));
  const value = text === undefined || exceedsDepth(text, MAX_DEPTH) ? undefined : readJson(text);
  if (!isJsonObject(value))
    throw new Error(`The response body must be a JSON object nested at most ${MAX_DEPTH} levels deep.`);
  return value;
}

async function readBounded(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`The response body is too large (limit: ${MAX_BYTES} bytes).`);
    chunks.push(chunk);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Rejects when the signal aborts, even if `fetch` ignores the signal. */
async function unlessAborted<T>(signal: AbortSignal, result: Promise<T>): Promise<T> {
  return Promise.race([
    result,
    new Promise<never>((_resolve, reject) => {
      const late = () => reject(new Error(`The server did not respond within ${TIME_OUT_MS} ms.`));
      signal.addEventListener("abort", late, { once: true });
    }),
  ]);
}
