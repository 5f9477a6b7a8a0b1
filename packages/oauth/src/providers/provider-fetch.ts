/**
 * @fileoverview Requests to a provider: bounded in time and size.
 * @module oauth/provider-fetch
 */
import { isJsonObject, readJson } from "@tenon/internal/json";

/** Longest wait for an answer, and the largest answer that is read. */
const TIME_OUT_MS = 30_000;
const MAX_BYTES = 256 * 1024;

/** Fetches an answer and reads it to its end. @throws where it takes too long, is too large or is the server's failure */
export async function fetchBounded(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, {
    ...init,
    redirect: "manual",
    signal: AbortSignal.timeout(TIME_OUT_MS),
  });
  if (response.status >= 500) throw new Error("The server failed");
  const text = await readBounded(response);
  const { status, headers } = response;
  return new Response(text === "" ? null : text, { status, headers });
}

/**
 * Fetches tokens. An ID token is dropped unread: who signed in is asked with the access token, and the issuer in it
 * cannot be known beforehand where one server serves many tenants.
 */
export async function fetchTokens(url: string, init: RequestInit): Promise<Response> {
  const response = await fetchBounded(url, init);
  const text = await response.text();
  const body = readJson(text);
  const kept =
    isJsonObject(body) && "id_token" in body ? JSON.stringify({ ...body, id_token: undefined }) : text;
  const { status, headers } = response;
  return new Response(kept === "" ? null : kept, { status, headers });
}

async function readBounded(response: Response): Promise<string> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error("The answer is too large");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
