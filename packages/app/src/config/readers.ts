/**
 * @fileoverview Parsers for environment variables. Each returns a value or describes the expected format.
 * @module app/config/readers
 */
import { isLoopbackHost } from "@tenon/internal/security/loopback";
import { z } from "zod";
import { readLoggerLevel } from "../logging/levels.js";

/** Parser for one kind of text, and the phrase that follows "must be" in its errors. */
export interface Reader<T> {
  readonly schema: z.ZodType<T, string>;
  readonly wants: string;
  /** True if errors must omit the text, because a malformed URL may contain a password. */
  readonly hides?: boolean;
}

/** Single line of text. */
export function line(wants: string, maxLength = 256): Reader<string> {
  return { wants, schema: z.string().regex(new RegExp(`^[^\\p{Cc}\\p{Cs}]{1,${maxLength}}$`, "u")) };
}

/** One of a fixed set of words. */
export function oneOf<const Words extends readonly [string, ...string[]]>(
  words: Words,
): Reader<Words[number]> {
  return { wants: `one of ${words.join(", ")}`, schema: z.enum(words) };
}

/** `true` or `false`. */
export function flag(): Reader<boolean> {
  return { wants: "true or false", schema: z.enum(["true", "false"]).transform((word) => word === "true") };
}

/** Integer within bounds. */
export function whole(min: number, max: number): Reader<number> {
  return {
    wants: `an integer from ${min} to ${max}`,
    schema: z
      .string()
      .regex(/^\d{1,10}$/)
      .transform(Number)
      .pipe(z.number().min(min).max(max)),
  };
}

/** Log level. */
export function level() {
  const wants = "one of debug, info, notice, warning, error, crit, alert, emerg";
  return { wants, schema: read((text) => readLoggerLevel(text)) };
}

/** URL path of the endpoint. */
export function endpointPath(): Reader<string> {
  return { wants: "a path such as /mcp", schema: z.string().regex(/^\/[\w./~-]{0,255}$/) };
}

/** Host name or IP address to listen on. */
export function host(): Reader<string> {
  return {
    wants: "a host name or an IP address, without port or brackets",
    schema: z.string().regex(/^(?:[\w-]{1,63}(?:\.[\w-]{1,63}){0,16}|(?=.*:.*:)[\da-f:.]{2,45})$/i),
  };
}

/** Host names, separated by commas. */
export function hosts(): Reader<readonly string[]> {
  const isHost = (name: string) => /^(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:.]+\])$/i.test(name);
  return { wants: "host names without ports, separated by commas", schema: list(isHost) };
}

/** Origins of web pages, separated by commas. */
export function origins(): Reader<readonly string[]> {
  const isOrigin = (text: string) => URL.canParse(text) && new URL(text).origin === text;
  const wants = "origins such as https://app.example, separated by commas";
  return { wants, hides: true, schema: list(isOrigin) };
}

/** Scopes, separated by spaces or commas. */
export function scopes(): Reader<readonly string[]> {
  const isScope = (text: string) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text);
  return { wants: "scopes, separated by spaces", schema: list(isScope, /[\s,]+/) };
}

/** URL of an authorization server. It is kept verbatim, because issuers are compared character by character. */
export function secureUrl(mayHaveQuery = false): Reader<string> {
  const parts = mayHaveQuery ? "credentials or fragment" : "credentials, query or fragment";
  return {
    wants: `an https URL without ${parts} (http on loopback only)`,
    hides: true,
    schema: read((text) => {
      const address = mayHaveQuery ? text.replace(/\?[^#\s]*$/, "") : text;
      return isSecureUrl(address) ? text : undefined;
    }),
  };
}

/** Secret key of at least 32 characters. */
export function secretKey(): Reader<string> {
  return { wants: "at least 32 characters long", schema: z.string().min(32).max(4_096) };
}

const MAX_ENTRIES = 100;

function list(
  accepts: (entry: string) => boolean,
  separator: RegExp | string = ",",
): z.ZodType<readonly string[], string> {
  return read((text) => {
    const entries = text
      .split(separator)
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "");
    const isFit = entries.length > 0 && entries.length <= MAX_ENTRIES && entries.every(accepts);
    return isFit ? Object.freeze(entries) : undefined;
  });
}

/** Wraps a parser that returns `undefined` for invalid text in a schema. */
function read<T>(reader: (text: string) => T | undefined): z.ZodType<T, string> {
  return z.string().transform((text, context) => {
    const value = reader(text);
    if (value !== undefined) return value;
    context.addIssue("invalid format");
    return z.NEVER;
  });
}

function isSecureUrl(text: string): boolean {
  if (!/^https?:\/\/[^/?#\\\s@][^?#\\\s@]*$/i.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || isLoopbackHost(hostname);
}
