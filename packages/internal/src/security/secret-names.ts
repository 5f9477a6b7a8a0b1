/**
 * @fileoverview Detects names of members, variables, and parameters that denote secrets.
 * @module internal/security/secret-names
 */

/** Options for `isSecretName`. */
export interface SecretNameOptions {
  /** Additional words that denote a secret, in lower case. */
  readonly more?: ReadonlySet<string>;
  /**
   * Accepts only names that end with an unambiguous word, such as `db_password` or `apiKey`. Words with other meanings,
   * such as `key` in `sort_key` and `token` in `page_token`, do not count.
   * @default false
   */
  readonly isCertain?: boolean;
}

/**
 * Returns true if a name denotes a secret. Names are split into words (`apiKey`, `API_KEY`, `api-key`), so that
 * `monkey` and `author` do not match.
 */
export function isSecretName(name: string, options: SecretNameOptions = {}): boolean {
  const { more = NO_MORE, isCertain = false } = options;
  // Legitimate names are shorter, and splitting longer ones into words would be slow.
  if (name.length > MAX_NAME) return !isCertain;
  const words = (name.match(WORD) ?? []).map((word) => word.toLowerCase());
  if (isCertain) return endsWithCredential(words, more);
  return [...words, name.toLowerCase()].some((word) => isSecretWord(word, more));
}

function endsWithCredential(words: readonly string[], more: ReadonlySet<string>): boolean {
  const [last = "", previous = ""] = words.toReversed();
  return [last, previous + last].some((word) => CREDENTIALS.has(word) || more.has(word));
}

function isSecretWord(word: string, more: ReadonlySet<string>): boolean {
  return (
    [word, word.replace(/s$/, "")].some((one) => WORDS.has(one) || CREDENTIALS.has(one)) || more.has(word)
  );
}

const MAX_NAME = 256;
const NO_MORE: ReadonlySet<string> = /* @__PURE__ */ new Set<string>();
const WORD = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}]+/gu;
/** Words, and pairs of words without a separator, that always denote a credential. */
const CREDENTIALS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "password",
  "passwd",
  "passphrase",
  "apikey",
  "secretkey",
  "privatekey",
  "clientsecret",
  "appsecret",
  "webhooksecret",
  "accesstoken",
  "authtoken",
  "bearertoken",
  "refreshtoken",
]);
/** Words that denote a secret in most names, and pairs that headers and variables write without a separator. */
const WORDS: ReadonlySet<string> = /* @__PURE__ */ new Set([
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
  "apitoken",
  "accesskey",
  "idtoken",
  "creditcard",
  "cardnumber",
]);
