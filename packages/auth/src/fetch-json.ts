/**
 * @fileoverview JSON from an authorization server: bounded in time, size and depth, and from nowhere but the address
 * that was asked.
 * @module auth/fetch-json
 */
import { exceedsDepth, isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import type { Ports } from "@tenon/internal/ports";
import { decodeUtf8 } from "@tenon/internal/utf8";

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Fetches a JSON object; nothing where there is none. @throws where the server did not answer as it should */
export type FetchJson = (url: string) => Promise<JsonObject | undefined>;

/** Longest wait, and the largest and deepest answer that is read. */
const TIME_OUT_MS = 5_000;
const MAX_BYTES = 262_144;
const MAX_DEPTH = 16;

/** Makes a bounded fetch of JSON objects. */
export function createFetchJson(fetch: Fetch, ports: Pick<Ports, "startTimer">): FetchJson {
  return async (url) => {
    const controller = new AbortController();
    const stop = ports.startTimer(() => controller.abort(), TIME_OUT_MS);
    try {
      return await unlessAborted(controller.signal, ask(fetch, url, controller.signal));
    } finally {
      stop();
      controller.abort(); // whatever still comes of a refused answer
    }
  };
}

async function ask(fetch: Fetch, url: string, signal: AbortSignal): Promise<JsonObject | undefined> {
  const headers = { accept: "application/json" };
  // A redirect would move the trust in this address to another one.
  const response = await fetch(url, { headers, redirect: "manual", signal });
  if (response.status >= 400 && response.status < 500) return undefined;
  if (response.status !== 200) throw new Error("the answer is not 200");
  const text = decodeUtf8(await readBounded(response));
  const value = text === undefined || exceedsDepth(text, MAX_DEPTH) ? undefined : readJson(text);
  if (!isJsonObject(value)) throw new Error("the answer is not a JSON object");
  return value;
}

async function readBounded(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error("the answer is too large");
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

/** Ends the wait when the time is over, even where `fetch` does not heed the signal. */
async function unlessAborted<T>(signal: AbortSignal, result: Promise<T>): Promise<T> {
  return Promise.race([
    result,
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("the answer took too long")), { once: true });
    }),
  ]);
}
