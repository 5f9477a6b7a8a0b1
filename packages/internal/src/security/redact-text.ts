/**
 * @fileoverview Removes secrets from text: values that are known to be secret, and text that looks like a credential.
 * Every pattern runs in linear time, because the text may come from an attacker.
 * @module internal/security/redact-text
 */
import { toBase64Url } from "../base64.js";
import { encodeUtf8 } from "../utf8.js";

/** Marker that replaces a secret. */
export const REDACTED = "[REDACTED]";

/** Options for `createTextRedactor`. */
export interface TextRedactorOptions {
  /** Maximum length of the result in characters. Longer text is cut and ends with `…`. */
  readonly limit: number;
  /** Values that must never be shown, such as API keys from the configuration. Matching ignores case. */
  readonly secrets?: readonly string[];
  /**
   * Minimum length of a secret. Shorter secrets are ignored, because they would match everywhere.
   * @default 4
   */
  readonly minLength?: number;
}

/** Creates a function that removes secrets from text and cuts it to `limit` characters. The function never throws. */
export function createTextRedactor(options: TextRedactorOptions): (text: string) => string {
  const { limit, secrets = [], minLength = 4 } = options;
  const forms = secrets.filter((secret) => secret.length >= minLength && secret !== "").flatMap(formsOf);
  const known = toPattern(forms);
  // Escaping can double the length of a secret.
  const longest = 2 * forms.reduce((length, form) => Math.max(length, form.length), 0);
  const readLimit = limit + WINDOW + longest;
  return (text) => {
    const isCut = text.length > readLimit;
    const input = isCut ? text.slice(0, readLimit) : text;
    const withoutKnown = known === undefined ? input : input.replace(known, REDACTED);
    const redacted = CREDENTIALS.reduce(
      (shown, [pattern, replacement]) => shown.replace(pattern, replacement),
      withoutKnown,
    );
    if (!isCut && redacted.length <= limit) return redacted;
    // The input may end inside a secret, and a partial secret does not match, so drop the end.
    const shown = isCut
      ? withoutLastWord(redacted.slice(0, Math.max(0, redacted.length - longest)))
      : redacted;
    // Don't cut through a surrogate pair.
    return `${shown.slice(0, limit).replace(/[\ud800-\udbff]$/, "")}…`;
  };
}

/** Characters read beyond the limit, to recognize secrets that cross it. */
const WINDOW = 4_096;
const SPACE = 0x20;

function withoutLastWord(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) > SPACE) end--;
  return text.slice(0, end);
}

/** Returns a secret's spellings in plain text, JSON, URLs, HTML forms, and base64. */
function formsOf(secret: string): readonly string[] {
  const wellFormed = secret.replace(/\p{Surrogate}/gu, "\ufffd");
  const base64url = toBase64Url(encodeUtf8(wellFormed));
  const url = encodeURIComponent(wellFormed);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    url,
    url.replaceAll("%20", "+"),
    base64url,
    base64url.replaceAll("-", "+").replaceAll("_", "/"),
  ];
}

/**
 * Builds the pattern for known secrets. Longer forms come first, so that a shorter match never leaves the end of a
 * longer form visible.
 */
function toPattern(forms: readonly string[]): RegExp | undefined {
  const patterns = [...new Set(forms)].toSorted((a, b) => b.length - a.length).map(toEscapedPattern);
  return patterns.length === 0 ? undefined : new RegExp(patterns.join("|"), "gi");
}

/** Builds a pattern that matches a form at any escaping level: with any number of backslashes between characters. */
function toEscapedPattern(form: string): string {
  const parts = form
    .split(/\\+/)
    .filter((part) => part !== "")
    .map((part) =>
      part
        .split("")
        .map(toUnitPattern)
        .join(String.raw`\\*`),
    );
  return parts.length === 0 ? String.raw`\\{${form.length},}` : parts.join(String.raw`\\+`);
}

function toUnitPattern(unit: string): string {
  return /\w/.test(unit) ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Endings of names whose values are secret. Any prefix matches, as in `client_secret` and `accessToken`. */
const SECRET_NAMES = [
  "token",
  "secret",
  "password",
  "passwd",
  "passphrase",
  "pwd",
  "(?:api|access|secret|private|account|signing|encryption)[_-]?key",
  "authorization",
  "cookie",
  "code_verifier",
].join("|");

/** Start of an assignment: `password=`, `"client_secret": `, or the same in nested JSON. */
const ASSIGNMENT = String.raw`(?:${SECRET_NAMES})\\*["']?\s{0,8}[=:]\s{0,8}`;

/**
 * Credential patterns and their replacements. Each pattern fails after a bounded number of characters or consumes the
 * text it has read, so no input makes it read the same text twice.
 */
const CREDENTIALS: readonly (readonly [RegExp, string])[] = [
  // Without an end marker, the rest of the text counts as the key.
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, REDACTED],
  // A quoted value ends at a quote with the same number of backslashes as the opening one. Empty values are ignored.
  [new RegExp(String.raw`(${ASSIGNMENT}(\\*)(["']))(?!\2\3)[^]*?(?=(?<!\\)\2\3|$)`, "gi"), `$1${REDACTED}`],
  // Headers whose values have multiple words: `Authorization: Token abc`, `Cookie: a=1; b=2`.
  [/((?:authorization|cookie)\s{0,8}:\s{0,8})[^\s"'\\][^\r\n"'\\]*/gi, `$1${REDACTED}`],
  [/\b(Bearer|Basic|DPoP)\s{1,40}[\w+/.~=-]{6,}/gi, `$1 ${REDACTED}`],
  [
    new RegExp(String.raw`(${ASSIGNMENT})(?!\\*["'])(?:(?:Bearer|Basic|DPoP)\s{1,40})?[^\s"'&,;}]+`, "gi"),
    `$1${REDACTED}`,
  ],
  // JWS, JWE, and other JSON in base64, which always starts with `eyJ`.
  [/(?<![A-Za-z0-9])eyJ[\w-]{8,}(?:\.{1,2}[\w-]+){0,4}/g, REDACTED],
  // A password in a URL. Neither part contains a slash, so two matches never read the same text.
  [/(:\/\/[^\s/:@]*):[^\s/]+@/g, `$1:${REDACTED}@`],
  [/\b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abeprs]|npm|hf)[-_][\w-]{8,}/g, REDACTED],
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, REDACTED],
  [/\bAIza[\w-]{30,}/g, REDACTED],
];
