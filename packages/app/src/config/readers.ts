/**
 * @fileoverview Parsers for environment variables, each with a description of the expected format.
 * @module app/config/readers
 */
import { isLoopbackHost } from "@tenon/internal/security/loopback";
import { isUrl } from "@tenon/internal/security/is-url";
import { readLoggerLevel } from "../logging/levels.js";

/** Parser for one format. */
export interface Reader<T> {
  /** Returns the value, or `undefined` if the text is invalid. */
  readonly parse: (text: string) => T | undefined;
  /** Phrase that follows "must be" in error messages. */
  readonly wants: string;
  /** True if error messages must omit the value, because a malformed URL may contain a password. */
  readonly hides?: boolean;
}

/** Parses a single line of text with at most `maxLength` characters. */
export function line(what: string, maxLength = 256): Reader<string> {
  const pattern = new RegExp(`^[^\\p{Cc}\\p{Cs}]{1,${maxLength}}$`, "u");
  return { wants: `${what} with at most ${maxLength} characters`, parse: matching(pattern) };
}

/** Parses one of the given words. */
export function oneOf<const Words extends readonly string[]>(words: Words): Reader<Words[number]> {
  return { wants: `one of ${words.join(", ")}`, parse: (text) => words.find((word) => word === text) };
}

/** Parses `true` or `false`. */
export function flag(): Reader<boolean> {
  const values = new Map([
    ["true", true],
    ["false", false],
  ]);
  return { wants: "true or false", parse: (text) => values.get(text) };
}

/** Parses a decimal integer from `min` to `max`. */
export function whole(min: number, max: number): Reader<number> {
  const isInRange = (value: number) => value >= min && value <= max;
  return {
    wants: `an integer from ${min} to ${max}`,
    parse: (text) => (/^\d{1,10}$/.test(text) && isInRange(Number(text)) ? Number(text) : undefined),
  };
}

/** Parses a log level or one of its aliases. */
export function level() {
  const wants = "one of debug, info, notice, warning, error, crit, alert, emerg";
  return { wants, parse: (text: string) => readLoggerLevel(text) };
}

/** Parses the URL path of the endpoint. */
export function endpointPath(): Reader<string> {
  return { wants: "a path such as /mcp", parse: matching(/^\/[\w./~-]{0,255}$/) };
}

/** Parses a host name or IP address to listen on. */
export function host(): Reader<string> {
  return {
    wants: "a host name or an IP address, without port or brackets",
    parse: matching(/^(?:[\w-]{1,63}(?:\.[\w-]{1,63}){0,16}|(?=.*:.*:)[\da-f:.]{2,45})$/i),
  };
}

/** Parses host names separated by commas. */
export function hosts(): Reader<readonly string[]> {
  const isHost = (name: string) => /^(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:.]+\])$/i.test(name);
  return { wants: "a list of host names without ports, separated by commas", parse: list(isHost) };
}

/** Parses web page origins separated by commas. */
export function origins(): Reader<readonly string[]> {
  const isOrigin = (text: string) => isUrl(text) && new URL(text).origin === text;
  const wants = "a list of origins such as https://app.example, separated by commas";
  return { wants, hides: true, parse: list(isOrigin) };
}

/** Parses scopes separated by spaces or commas. */
export function scopes(): Reader<readonly string[]> {
  const isScope = (text: string) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text);
  return { wants: "a list of scopes separated by spaces or commas", parse: list(isScope, /[\s,]+/) };
}

/** Parses an authorization server's URL. The text is kept verbatim, because issuers are compared literally. */
export function secureUrl(mayHaveQuery = false): Reader<string> {
  const parts = mayHaveQuery ? "credentials or fragment" : "credentials, query, or fragment";
  return {
    wants: `an https URL without ${parts} (http is allowed on loopback only)`,
    hides: true,
    parse: (text) => {
      const query = mayHaveQuery ? text.indexOf("?") : -1;
      const isQuery = query >= 0 && !/[#\s]/.test(text.slice(query));
      const address = isQuery ? text.slice(0, query) : text;
      return isSecureUrl(address) ? text : undefined;
    },
  };
}

/** Parses a secret key of 32 to 4096 characters. */
export function secretKey(): Reader<string> {
  return { wants: "32 to 4096 characters long", parse: matching(/^.{32,4096}$/s) };
}

const MAX_ENTRIES = 100;

function list(accepts: (entry: string) => boolean, separator: RegExp | string = ",") {
  return (text: string): readonly string[] | undefined => {
    const entries = text
      .split(separator)
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "");
    const isFit = entries.length > 0 && entries.length <= MAX_ENTRIES && entries.every(accepts);
    return isFit ? Object.freeze(entries) : undefined;
  };
}

function matching(pattern: RegExp) {
  return (text: string): string | undefined => (pattern.test(text) ? text : undefined);
}

function isSecureUrl(text: string): boolean {
  if (!/^https?:\/\/[^/?#\\\s@][^?#\\\s@]*$/i.test(text) || !isUrl(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || isLoopbackHost(hostname);
}
