/**
 * @fileoverview Reads the `WWW-Authenticate` header of a rejected request (RFC 9110, RFC 6750, RFC 9728).
 * @module oauth/client-auth/discovery/bearer-challenge
 */
import { readScopeList } from "./scopes.js";

/** Parameters of the first `Bearer` challenge that a client acts on. */
export interface BearerChallenge {
  /** URL of the resource metadata. */
  readonly resourceMetadata: string | undefined;
  /** Scopes that the request requires, at least one. */
  readonly scopes: readonly string[] | undefined;
  /** Error code, such as `insufficient_scope`. */
  readonly error: string | undefined;
}

/** Maximum length of the header in characters. The rest is ignored. */
const MAX_LENGTH = 16_384;

/** Name and value. Values without quotes may contain any characters, because some servers send URLs in this way. */
const PARAMETER = /[\s,]*([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))/y;
const SCHEME = /[\s,]*([\w!#$%&'*+.^`|~-]+)(?=[\s,]|$)/y;

/** Reads the header. Malformed parts are skipped. */
export function readBearerChallenge(header: string | undefined): BearerChallenge {
  const parameters = findBearer((header ?? "").slice(0, MAX_LENGTH));
  const scopes = readScopeList(parameters.get("scope")) ?? [];
  return {
    resourceMetadata: parameters.get("resource_metadata"),
    scopes: scopes.length === 0 ? undefined : scopes,
    error: parameters.get("error"),
  };
}

/** Returns the parameters of the first `Bearer` challenge that has any. */
function findBearer(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let isBearer = false;
  let at = 0;
  while (at < text.length) {
    const parameter = matchAt(PARAMETER, text, at);
    if (parameter !== undefined) {
      const [whole, name = "", quoted, plain = ""] = parameter;
      const key = name.toLowerCase();
      const value = quoted === undefined ? plain : quoted.replaceAll(/\\(.)/g, "$1");
      if (isBearer && !found.has(key)) found.set(key, value);
      at += whole.length;
      continue;
    }
    const scheme = matchAt(SCHEME, text, at);
    if (scheme !== undefined && found.size > 0) return found;
    isBearer = scheme === undefined ? isBearer : scheme[1]?.toLowerCase() === "bearer";
    at = scheme === undefined ? nextPart(text, at) : at + scheme[0].length;
  }
  return found;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** Returns the position after the next comma. */
function nextPart(text: string, at: number): number {
  const comma = text.indexOf(",", at);
  return comma === -1 ? text.length : comma + 1;
}
