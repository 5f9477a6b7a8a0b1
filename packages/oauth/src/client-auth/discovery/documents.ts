/**
 * @fileoverview Fetches metadata documents. A document is a JSON object of limited size and depth. Redirects are not
 * followed.
 * @module oauth/client-auth/discovery/documents
 */
import { exceedsDepth, isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { BLOCKED_DESTINATION, createGuardedFetch } from "@tenon/internal/outgoing/guarded-fetch";
import { codeOf } from "@tenon/internal/thrown";
import { decodeUtf8 } from "@tenon/internal/utf8";
import type { ProviderFetchOptions } from "../../providers/provider-fetch.js";
import { untilAborted } from "../abort.js";
import { ClientAuthError, showUrl } from "../errors.js";

/** Outcome of a request for a document that may not exist. */
export type DocumentOutcome =
  { readonly ok: true; readonly document: JsonObject } | { readonly ok: false; readonly problem: string };

/** Fetches a document. @throws if the server cannot be reached or is overloaded, or its address is not allowed */
export type FetchDocument = (
  url: string,
  signal: AbortSignal,
  headers?: Readonly<Record<string, string>>,
) => Promise<DocumentOutcome>;

/** Limits of a document: time in milliseconds, size in bytes, and depth of nesting. */
const LIMITS = { timeoutMs: 15_000, maxBytes: 256 * 1024 };
const MAX_DEPTH = 16;

/** Creates the function for documents that an MCP endpoint leads to. */
export function createFetchDocument(endpoint: URL, options: ProviderFetchOptions): FetchDocument {
  const send = createGuardedFetch({ ...LIMITS, ...options, configured: endpoint.href });
  return async (url, signal, headers = {}) => {
    const init = { headers: { accept: "application/json", ...headers } };
    const response = await untilAborted(signal, send(url, init)).catch((error: unknown) => {
      signal.throwIfAborted();
      throw toError(error, url);
    });
    const { status } = response;
    if (status >= 500 || status === 429)
      throw new ClientAuthError(
        "unavailable",
        `${showUrl(url)} responded with HTTP ${status}. Try again later.`,
      );
    if (status !== 200) return { ok: false, problem: `HTTP ${status}` };
    const text = decodeUtf8(new Uint8Array(await response.arrayBuffer()));
    const document = text === undefined || exceedsDepth(text, MAX_DEPTH) ? undefined : readJson(text);
    return isJsonObject(document) ? { ok: true, document } : { ok: false, problem: "not a JSON object" };
  };
}

/** Converts an error of the guarded `fetch`, whose messages contain no text from URLs or responses. */
function toError(error: unknown, url: string): ClientAuthError {
  const isBlocked = codeOf(error) === BLOCKED_DESTINATION;
  const message = error instanceof Error ? error.message : "Unknown error.";
  return new ClientAuthError(isBlocked ? "blocked_address" : "unavailable", `${showUrl(url)}: ${message}`);
}
