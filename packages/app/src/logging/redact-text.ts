/**
 * @fileoverview Takes secrets out of text: those that are known, and what looks like one.
 * @module app/logging/redact-text
 */
import { toBase64Url } from "@tenon/internal/base64";
import { encodeUtf8 } from "@tenon/internal/utf8";

/** What stands where a secret was. */
export const REDACTED = "[REDACTED]";

/**
 * Makes a function that shows text without secrets, and no more of it than `limit` characters.
 *
 * @param secrets values that are known to be secret, such as those of the configuration; shorter ones than four
 * characters are ignored, because they would be found everywhere
 */
export function createTextRedactor(secrets: readonly string[], limit: number): (text: string) => string {
  const known = [...new Set(secrets.filter((secret) => secret.length >= MIN_SECRET).flatMap(formsOf))]
    // The longest first, so that of two that begin alike none leaves its end behind.
    .toSorted((a, b) => b.length - a.length);
  const longest = known[0]?.length ?? 0;
  const reach = limit + WINDOW + longest;
  const knownOnes =
    known.length === 0 ? undefined : new RegExp(known.map((secret) => escapeRegExp(secret)).join("|"), "g");
  return (text) => {
    const read = text.length > reach ? text.slice(0, reach) : text;
    const withoutKnown = knownOnes === undefined ? read : read.replace(knownOnes, REDACTED);
    const shown = PATTERNS.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), withoutKnown);
    if (read === text && shown.length <= limit) return shown;
    // What was read up to here may end within a secret, which then was not recognized.
    const whole = read === text ? shown : withoutLastWord(shown.slice(0, shown.length - longest));
    // A cut must not leave half a character behind.
    return `${whole.slice(0, limit).replace(/[\ud800-\udbff]$/, "")}…`;
  };
}

function withoutLastWord(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) > SPACE) end--;
  return text.slice(0, end);
}

/** A secret as it may stand in text: itself, in JSON, in a URL, in base64. */
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

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

const MIN_SECRET = 4;
const SPACE = 0x20;

/** What is read beyond the limit, to see secrets that the limit cuts. */
const WINDOW = 4_096;

/** Each runs through a text once: none can fail after a long way and start again within it. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g, REDACTED],
  [/\b(Bearer|Basic|DPoP)\s{1,4}[\w+/.~=-]{6,}/gi, `$1 ${REDACTED}`],
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*){0,3}/g, REDACTED],
  [/(:\/\/[^\s/:@]{0,200}):[^\s/@]{1,200}@/g, `$1:${REDACTED}@`],
  [
    /\b([\w-]{0,40}?(?:token|secret|password|passwd|pwd|api[_-]?key|authorization|cookie|code_verifier)["']?\s?[=:]\s?["']?)(?!\[REDACTED)[^\s"'&,;}]+/gi,
    `$1${REDACTED}`,
  ],
  [/\b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abeprs]|npm|hf)[-_][\w-]{8,}/g, REDACTED],
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, REDACTED],
  [/\bAIza[\w-]{30,}/g, REDACTED],
];
