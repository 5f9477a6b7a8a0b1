/**
 * @fileoverview Addresses from strangers: a known scheme, no credentials, and nothing that a parser would repair.
 * @module app/sanitization/url
 */
import { parseText, refuseInput } from "./refusal.js";

/** Options of `sanitizeUrl`. */
export interface SanitizeUrlOptions {
  /**
   * Schemes, without the colon. Those that run or read something on their own, such as `javascript`, `data` and
   * `file`, cannot be allowed.
   * @default http and https
   */
  readonly allowedSchemes?: readonly string[];
  /** Host names, where only some are meant. @default any */
  readonly allowedHosts?: readonly string[];
  /**
   * Longest address, in characters.
   * @default 2048
   */
  readonly maxLength?: number;
}

const FORBIDDEN_SCHEMES = new Set([
  "javascript",
  "vbscript",
  "livescript",
  "data",
  "blob",
  "file",
  "filesystem",
  "about",
  "view-source",
  "jar",
  "chrome",
  "resource",
  "intent",
]);

const DEFAULT_SCHEMES = ["http", "https"];

/**
 * The address in its one normal form. The parser of browsers forgives much, such as a line break within `java\nscript:`;
 * here whatever it would have to forgive is refused.
 *
 * @throws `VALIDATION_ERROR`
 */
export function sanitizeUrl(input: unknown, options: SanitizeUrlOptions = {}): string {
  const { allowedSchemes = DEFAULT_SCHEMES, allowedHosts, maxLength = 2_048 } = options;
  const text = parseText("URL", input, maxLength).trim();
  const schemes = allowedSchemes.map((scheme) => scheme.toLowerCase().replace(/:$/, ""));
  const forbidden = schemes.find((scheme) => FORBIDDEN_SCHEMES.has(scheme));
  if (forbidden !== undefined) throw new Error(`the scheme ${forbidden} cannot be allowed`);
  if (/[\s\p{Cc}\p{Cf}\p{Cs}\\]/u.test(text)) {
    return refuseInput("URL", "it has spaces, backslashes or characters that are not seen", text);
  }
  const [, scheme = ""] = /^([a-z][a-z0-9+.-]*):/i.exec(text) ?? [];
  if (!schemes.includes(scheme.toLowerCase())) {
    return refuseInput("URL", `it must begin with ${schemes.map((one) => `${one}:`).join(" or ")}`, text);
  }
  const isWeb = /^https?$/i.test(scheme);
  if ((isWeb && !/^https?:\/\/[^/?#]/i.test(text)) || !URL.canParse(text)) {
    return refuseInput("URL", "it is malformed", text);
  }
  const url = new URL(text);
  // Not shown: what stands there is a password.
  if (url.username !== "" || url.password !== "" || (isWeb && /^https?:\/\/[^/?#]*@/i.test(text))) {
    return refuseInput("URL", "it must not have a user name or a password");
  }
  if (allowedHosts !== undefined && !allowedHosts.some((host) => host.toLowerCase() === url.hostname)) {
    return refuseInput("URL", "its host is not allowed", text);
  }
  return url.href;
}
