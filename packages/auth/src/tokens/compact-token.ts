/**
 * @fileoverview Checks a signed token's form: three canonical parts, and a header that can only select an allowed
 * algorithm.
 * @module auth/tokens/compact-token
 */
import { fromBase64Url } from "@tenon/internal/base64";
import { exceedsDepth, isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { decodeUtf8 } from "@tenon/internal/utf8";
import type { TokenProblem } from "./problems.js";

/** Header members that select the key and the algorithm. */
export interface TokenHeader {
  readonly alg: string;
  readonly kid: string | undefined;
}

/** The parsed header, or the problem with the token. */
export type HeaderCheck =
  | { readonly ok: true; readonly header: TokenHeader }
  | { readonly ok: false; readonly problem: TokenProblem };

/**
 * Checks a token's form and header before any key is used. Keys and key URLs in the header (`jwk`, `x5c`, `jku`,
 * `x5u`) are ignored, because an attacker can choose them.
 */
export function checkHeader(token: string, algorithms: readonly string[]): HeaderCheck {
  const parts = token.split(".", 4);
  const [head = "", body = "", signature = ""] = parts;
  if (parts.length !== 3 || head === "" || body === "" || signature === "") return refuse("malformed");
  const bytes = fromBase64Url(head);
  const header = bytes === undefined ? undefined : readObject(bytes);
  // Non-canonical base64url would allow multiple spellings of the same token.
  if (header === undefined || !isCanonical(body) || !isCanonical(signature)) return refuse("malformed");
  const { alg, typ, kid } = header;
  if (typeof alg !== "string") return refuse("malformed");
  if (!algorithms.includes(alg)) return refuse("algorithm");
  if (typ !== undefined && !isAccessToken(typ)) return refuse("type");
  if (header["cty"] !== undefined) return refuse("type");
  if (header["crit"] !== undefined || header["b64"] !== undefined) return refuse("critical");
  if (kid === undefined) return { ok: true, header: { alg, kid } };
  return typeof kid === "string" && kid.length <= MAX_KID
    ? { ok: true, header: { alg, kid } }
    : refuse("malformed");
}

/** Parses a JSON object from bytes. Rejects duplicate names, because parsers disagree about which one wins. */
export function readObject(bytes: Uint8Array): JsonObject | undefined {
  const text = decodeUtf8(bytes);
  if (text === undefined || exceedsDepth(text, MAX_DEPTH)) return undefined;
  const value = readJson(text);
  return isJsonObject(value) && Object.keys(value).length === countMembers(text) ? value : undefined;
}

/** Returns true if base64url text is canonical, without decoding it: the unused trailing bits must be 0. */
export function isCanonical(text: string): boolean {
  if (!/^[\w-]+$/.test(text)) return false;
  const surplus = text.length % 4;
  if (surplus === 0) return true;
  return surplus === 2 ? /[AQgw]$/.test(text) : surplus === 3 && /[AEIMQUYcgkosw048]$/.test(text);
}

const MAX_KID = 256;
const MAX_DEPTH = 16;

/** Accepts `at+jwt` (RFC 9068) and `JWT`, which most issuers send. Rejects ID tokens, logout tokens, and others. */
function isAccessToken(typ: unknown): boolean {
  return typeof typ === "string" && /^(?:application\/)?(?:at\+jwt|jwt)$/i.test(typ);
}

/** Counts the outermost object's members in valid JSON: the colons outside strings at depth 1. */
function countMembers(text: string): number {
  let count = 0;
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isString) {
      if (character === "\\") at++;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    else if (character === ":" && depth === 1) count++;
  }
  return count;
}

function refuse(problem: TokenProblem): HeaderCheck {
  return { ok: false, problem };
}
