/**
 * @fileoverview Sends requests to a provider and limits their time and response size.
 * @module oauth/provider-fetch
 */
import { isJsonObject, readJson } from "@tenon/internal/json";

/** Response limits: time in milliseconds, and body size in bytes. */
const TIME_OUT_MS = 30_000;
const MAX_BYTES = 256 * 1024;

/** Fetches a response and reads its whole body. @throws on a timeout, an oversized body, or a 5xx status */
export async function fetchBounded(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, {
    ...init,
    redirect: "manual",
    signal: AbortSignal.timeout(TIME_OUT_MS),
  });
  if (response.status >= 500) throw new Error(`The provider responded with HTTP ${response.status}.`);
  const text = await readBounded(response);
  const { status, headers } = response;
  return new Response(text === "" ? null : text, { status, headers });
}

/**
 * Fetches tokens. Drops ID tokens without reading them, because the user endpoint identifies the account, and the
 * issuer in an ID token cannot be predicted if one server has multiple tenants.
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
    if (bytes > MAX_BYTES) throw new Error(`The response body is too large (limit: ${MAX_BYTES} bytes).`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
