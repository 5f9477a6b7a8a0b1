/**
 * @fileoverview Recognizes credentials in text. Examples and placeholders are not reported.
 * @module cli/doctor/rules/security/find-secret
 */

/** Returns the kind of the first credential in a text, such as `a GitHub token`. */
export function findCredential(text: string): string | undefined {
  const start = text.slice(0, MAX_SEARCHED);
  for (const [kind, pattern] of CREDENTIALS) {
    for (const [match, secret = match] of start.matchAll(pattern)) {
      if (isRandom(secret)) return kind;
    }
  }
  return undefined;
}

/** Returns true if text looks like a generated value: many different characters, and no words of a placeholder. */
export function isRandom(text: string): boolean {
  return !PLACEHOLDER.test(text) && !/\s/.test(text.trim()) && entropyOf(text) >= MIN_ENTROPY;
}

const MAX_SEARCHED = 20_000;
/** Minimum information per character, in bits. Words and repeated characters have less. */
const MIN_ENTROPY = 3;

const PLACEHOLDER =
  /x{3}|\*{2}|\.{3}|…|[<>{}$%]|your|example|placeholder|dummy|sample|test|fake|demo|1234|abcd|0000|passw|secret|change|redacted|token/i;

/** Forms of credentials. A group contains the random part, if the whole match is not random. */
const CREDENTIALS: readonly (readonly [string, RegExp])[] = [
  ["an AWS access key", /\b(?:AKIA|ASIA)([0-9A-Z]{16})\b/g],
  ["a GitHub token", /\b(?:gh[pousr]_|github_pat_)([A-Za-z0-9_]{36,255})\b/g],
  ["a GitLab token", /\bglpat-([\w-]{20,64})/g],
  ["a Slack token", /\bxox[abeprs]-([\w-]{16,255})/g],
  ["an API key", /\bsk-((?:ant-|proj-)?[A-Za-z0-9_-]{24,255})/g],
  ["a Stripe key", /\b[rs]k_live_([A-Za-z0-9]{16,255})/g],
  ["a Google API key", /\bAIza([\w-]{35})\b/g],
  ["an npm token", /\bnpm_([A-Za-z0-9]{36})\b/g],
  ["a Hugging Face token", /\bhf_([A-Za-z0-9]{30,64})\b/g],
  ["a JSON Web Token", /(?<![\w-])eyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.([\w-]{16,2000})/g],
  ["a private key", /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----\s{1,4}([A-Za-z0-9+/]{40,76})/g],
  ["a password in a URL", /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{1,64}:([^\s/:@]{8,128})@/gi],
];

/** Returns the Shannon entropy of a text in bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
