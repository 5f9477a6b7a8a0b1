/**
 * @fileoverview Validates untrusted URLs. Rejects unsafe schemes, credentials, and text that a parser would repair.
 * @module app/sanitization/url
 */
import { isUrl } from "@tenon/internal/security/is-url";
import { parseText, refuseInput } from "./refusal.js";

/** Options for `sanitizeUrl`. */
export interface SanitizeUrlOptions {
  /**
   * Allowed schemes. Schemes that execute code or read local data, such as `javascript`, `data`, and `file`, are
   * rejected with an error.
   * @default http and https
   */
  readonly allowedSchemes?: readonly string[];
  /** Allowed host names, compared case-insensitively. @default any host */
  readonly allowedHosts?: readonly string[];
  /**
   * Maximum length of the URL, in characters.
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
 * Validates a URL and returns it normalized. Browsers repair malformed URLs, such as `java\nscript:` with its line
 * break, so URLs that need repair are rejected.
 *
 * @throws {McpError} `VALIDATION_ERROR` if the URL is malformed or not allowed
 */
export function sanitizeUrl(input: unknown, options: SanitizeUrlOptions = {}): string {
  const { allowedSchemes = DEFAULT_SCHEMES, allowedHosts, maxLength = 2_048 } = options;
  const text = parseText("URL", input, maxLength).trim();
  const schemes = allowedSchemes.map((scheme) => scheme.toLowerCase().replace(/:$/, ""));
  const forbidden = schemes.find((scheme) => FORBIDDEN_SCHEMES.has(scheme));
  if (forbidden !== undefined)
    throw new Error(`\`allowedSchemes\` must not contain the unsafe scheme "${forbidden}".`);
  if (/[\s\p{Cc}\p{Cf}\p{Cs}\\]/u.test(text)) {
    return refuseInput("URL", "it must not contain spaces, backslashes, or invisible characters", text);
  }
  const [, scheme = ""] = /^([a-z][a-z0-9+.-]*):/i.exec(text) ?? [];
  if (!schemes.includes(scheme.toLowerCase())) {
    return refuseInput("URL", `it must start with ${schemes.map((one) => `${one}:`).join(" or ")}`, text);
  }
  const isWeb = /^https?$/i.test(scheme);
  if ((isWeb && !/^https?:\/\/[^/?#]/i.test(text)) || !isUrl(text)) {
    return refuseInput("URL", "it is malformed", text);
  }
  const url = new URL(text);
  // The URL is not shown, because it may contain a password.
  if (url.username !== "" || url.password !== "" || (isWeb && /^https?:\/\/[^/?#]*@/i.test(text))) {
    return refuseInput("URL", "it must not contain a user name or password");
  }
  if (allowedHosts !== undefined && !allowedHosts.some((host) => host.toLowerCase() === url.hostname)) {
    return refuseInput("URL", "its host is not in `allowedHosts`", text);
  }
  return url.href;
}
