import { describe, expect, test } from "vitest";
import { isSecretName } from "../src/security/secret-names.js";

describe("names that denote secrets", () => {
  test.each(
    (
      "password token secret key apiKey auth credential jwt ssn credit card cvv authorization cookie " +
      "userPassword access_token API_KEY x-api-key clientSecret Set-Cookie APIToken apikey ACCESSTOKEN " +
      "creditCardNumber tokens API_KEYS DB_PASSWORD REFRESHTOKEN OPENAI_API_KEY2"
    ).split(" "),
  )("%s", (name) => expect(isSecretName(name)).toBe(true));

  test.each(
    "monkey author keyboard secretary tokenizer discard accredited cardinal authority name DB_URL".split(" "),
  )("%s does not", (name) => expect(isSecretName(name)).toBe(false));

  test("a name of a thousand characters does, unless it must be certain", () => {
    expect(isSecretName("a".repeat(1_000))).toBe(true);
    expect(isSecretName("a".repeat(1_000), { isCertain: true })).toBe(false);
  });

  test("additional words do", () => {
    const more = new Set(["pin"]);
    expect(isSecretName("cardholderPin")).toBe(false);
    expect(isSecretName("cardholderPin", { more })).toBe(true);
    expect(isSecretName("cardholderPin", { more, isCertain: true })).toBe(true);
  });
});

describe("names that certainly denote secrets", () => {
  const isCertain = true;

  test.each(
    (
      "password root_password approvalPassword passphrase apiKey api-key API_KEY x-api-key secretKey private_key " +
      "client_secret appSecret accessToken AUTH_TOKEN bearer_token refreshToken accesstoken password2"
    ).split(" "),
  )("%s", (name) => expect(isSecretName(name, { isCertain })).toBe(true));

  test.each(
    (
      "key token secret auth cookie card page_token nextPageToken sort_key idempotency_key public_key " +
      "max_tokens password_hint passwordless api_key_id token_type key_password_policy"
    ).split(" "),
  )("%s does not", (name) => expect(isSecretName(name, { isCertain })).toBe(false));
});
