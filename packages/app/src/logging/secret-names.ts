/**
 * @fileoverview Detects member and variable names that denote secrets.
 * @module app/logging/secret-names
 */

/**
 * Returns true if a name denotes a secret. Names are split into words (`apiKey`, `API_KEY`, `api-key`), so that
 * `monkey` and `author` do not match.
 *
 * @param more additional secret words, in lower case
 */
export function isSecretName(name: string, more: ReadonlySet<string> = NO_MORE): boolean {
  // Legitimate names are shorter, and splitting longer ones into words would be slow.
  if (name.length > MAX_NAME) return true;
  const words = name.match(WORD) ?? [];
  return (
    words.some((word) => isSecretWord(word.toLowerCase(), more)) || isSecretWord(name.toLowerCase(), more)
  );
}

function isSecretWord(word: string, more: ReadonlySet<string>): boolean {
  return SECRET.has(word) || more.has(word) || (word.endsWith("s") && SECRET.has(word.slice(0, -1)));
}

const MAX_NAME = 256;
const NO_MORE: ReadonlySet<string> = /* @__PURE__ */ new Set<string>();
const WORD = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}]+/gu;
const SECRET: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "password",
  "passwd",
  "passphrase",
  "pwd",
  "token",
  "secret",
  "key",
  "auth",
  "authorization",
  "credential",
  "jwt",
  "bearer",
  "ssn",
  "credit",
  "card",
  "cvv",
  "cvc",
  "cookie",
  // Compounds that headers and environment variables often write without a separator.
  "apikey",
  "apitoken",
  "accesstoken",
  "accesskey",
  "authtoken",
  "refreshtoken",
  "idtoken",
  "clientsecret",
  "secretkey",
  "privatekey",
  "creditcard",
  "cardnumber",
]);
