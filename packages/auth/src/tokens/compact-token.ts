/**
 * @fileoverview The outside of a signed token: three canonical parts, and a header that is believed in nothing but the
 * choice among what was allowed beforehand.
 * @module auth/compact-token
 */
import { fromBase64Url } from "@tenon/internal/base64";
import { exceedsDepth, isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { decodeUtf8 } from "@tenon/internal/utf8";
import type { TokenProblem } from "./problems.js";

/** What a token's header says about how to check it. */
export interface TokenHeader {
  readonly alg: string;
  readonly kid: string | undefined;
}

/** A header to go on with, or what is wrong with the token. */
export type HeaderCheck =
  | { readonly ok: true; readonly header: TokenHeader }
  | { readonly ok: false; readonly problem: TokenProblem };

/**
 * Checks the form of a token and its header, before any key is touched. Keys and addresses of keys in a header (`jwk`,
 * `x5c`, `jku`, `x5u`) are not even read: whoever made the token chose them.
 */
export function checkHeader(token: string, algorithms: readonly string[]): HeaderCheck {
  const parts = token.split(".", 4);
  const [head = "", body = "", signature = ""] = parts;
  if (parts.length !== 3 || head === "" || body === "" || signature === "") return refuse("malformed");
  const bytes = fromBase64Url(head);
  const header = bytes === undefined ? undefined : readObject(bytes);
  // Other spellings of the same bytes would be other texts of the same token.
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

/** A JSON object in bytes, with no name in it twice: parsers do not agree on which of two counts. */
export function readObject(bytes: Uint8Array): JsonObject | undefined {
  const text = decodeUtf8(bytes);
  if (text === undefined || exceedsDepth(text, MAX_DEPTH)) return undefined;
  const value = readJson(text);
  return isJsonObject(value) && Object.keys(value).length === countMembers(text) ? value : undefined;
}

/** Whether text is the one spelling of its bytes in base64url, told without decoding it: the bits left over are 0. */
export function isCanonical(text: string): boolean {
  if (!/^[\w-]+$/.test(text)) return false;
  const surplus = text.length % 4;
  if (surplus === 0) return true;
  return surplus === 2 ? /[AQgw]$/.test(text) : surplus === 3 && /[AEIMQUYcgkosw048]$/.test(text);
}

const MAX_KID = 256;
const MAX_DEPTH = 16;

/** RFC 9068 has `at+jwt`; most issuers still say `JWT`. Identity tokens, logout tokens and the like are refused. */
function isAccessToken(typ: unknown): boolean {
  return typeof typ === "string" && /^(?:application\/)?(?:at\+jwt|jwt)$/i.test(typ);
}

/** The members of the outermost object in valid JSON: as many as there are colons outside strings at its level. */
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
