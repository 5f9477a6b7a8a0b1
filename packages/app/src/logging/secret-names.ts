/**
 * @fileoverview Which names promise a secret.
 * @module app/logging/secret-names
 */

/**
 * Tells whether the value under a name is secret. Names are read word by word (`apiKey`, `API_KEY`, `api-key`), so that
 * `monkey` and `author` are not.
 */
export function isSecretName(name: string, more: ReadonlySet<string> = NO_MORE): boolean {
  // Nothing honest has a name like this, and looking for words in it would take its time.
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
  // Written as one word, as headers and environment variables like to.
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
