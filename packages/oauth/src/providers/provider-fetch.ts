/**
 * @fileoverview Requests to a provider, with limits on time and size.
 * @module oauth/provider-fetch
 */
import { isJsonObject, readJson } from "@tenon/internal/json";

/** Limits of a response: milliseconds to wait, and size in bytes. */
const TIME_OUT_MS = 30_000;
const MAX_BYTES = 256 * 1024;

/** Fetches a response and reads its whole body. @throws on a timeout, an oversized body or a 5xx status */
export async function fetchBounded(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, {
    ...init,
    redirect: "manual",
    signal: AbortSignal.timeout(TIME_OUT_MS),
  });
  if (response.status >= 500) throw new Error("The provider responded with a server error.");
  const text = await readBounded(response);
  const { status, headers } = response;
  return new Response(text === "" ? null : text, { status, headers });
}

/**
 * Fetches tokens. ID tokens are dropped unread: the user endpoint identifies the account, and the issuer in an ID token
 * cannot be predicted if one server has several tenants.
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
    if (bytes > MAX_BYTES) throw new Error("The response body is too large.");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
