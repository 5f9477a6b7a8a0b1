import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTextRedactor, REDACTED } from "../src/security/redact-text.js";

const redact = createTextRedactor({ limit: 8_000 });

describe("text that looks like a credential", () => {
  const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sflKxwRJSMeKKF2QT4";
  const jwe =
    "eyJhbGciOiJSU0EifQ.OKOawDo13gRp2ojaHV7LFpZcgV7T6DVZ.48V1_ALb6US04U3b.5eym8TW_c8SuK0lt.XFBoMYUZodetZdvT";

  test.each<[string, string, string]>([
    ["a bearer token", "got Bearer abcdef123456 back", "got Bearer [REDACTED] back"],
    ["a bearer token after many spaces", "Bearer          abcdef123456", "Bearer [REDACTED]"],
    ["basic credentials", "basic YWRhOmh1bnRlcjIy", "basic [REDACTED]"],
    ["a DPoP token", "DPoP abcdef.123456", "DPoP [REDACTED]"],
    ["a JWT", `got ${jwt} back`, "got [REDACTED] back"],
    ["a JWT after a dash", `token-${jwt}.`, "token-[REDACTED]."],
    ["a truncated JWT", jwt.slice(0, 18), "[REDACTED]"],
    ["a JWE", jwe, "[REDACTED]"],
    ["a JWE without an encrypted key", "eyJhbGciOiJkaXIifQ..48V1_ALb.5eym8TW.XFBo ok", "[REDACTED] ok"],
    ["a URL with credentials", "postgres://ada:hunter22@db/x", "postgres://ada:[REDACTED]@db/x"],
    ["a URL with an @ in its password", "redis://ada:hun@ter:22@db/x", "redis://ada:[REDACTED]@db/x"],
    ["a URL with a long password", `redis://:${"x".repeat(1_000)}@db`, "redis://:[REDACTED]@db"],
    ["an assignment", "password=hunter22&x=1", "password=[REDACTED]&x=1"],
    [
      "an assignment with a prefix",
      `${"my_".repeat(40)}token: s3cr3t x`,
      `${"my_".repeat(40)}token: [REDACTED] x`,
    ],
    ["a name in camel case", "{ accessToken: s3cr3t }", "{ accessToken: [REDACTED] }"],
    [
      "a name from the environment",
      "AWS_SECRET_ACCESS_KEY = wJalr/XUtn+EMI",
      "AWS_SECRET_ACCESS_KEY = [REDACTED]",
    ],
    ["a value with its scheme", "token=Bearer abcdef123456", "token=[REDACTED]"],
    [
      "a header with several words",
      "-H 'Authorization: Token abc def' -v",
      "-H 'Authorization: [REDACTED]' -v",
    ],
    ["a cookie", "set-cookie: a=1; session=s3cr3t\r\nhost: x", "set-cookie: [REDACTED]\r\nhost: x"],
    [
      "a value in double quotes",
      '{"client_secret": "a b\'c","x":1}',
      '{"client_secret": "[REDACTED]","x":1}',
    ],
    ["a value in single quotes", "{ password: 'a \"b\" c', x: 1 }", "{ password: '[REDACTED]', x: 1 }"],
    ["a value with an escaped quote", '{"password":"a\\" b","x":1}', '{"password":"[REDACTED]","x":1}'],
    [
      "JSON inside JSON",
      JSON.stringify(JSON.stringify({ password: 'a" b', x: 1 })),
      String.raw`"{\"password\":\"[REDACTED]\",\"x\":1}"`,
    ],
    ["a value without a closing quote", 'password: "a b c', 'password: "[REDACTED]'],
    ["a value with several lines", "secret='a\nb' x", "secret='[REDACTED]' x"],
    [
      "a private key",
      "-----BEGIN RSA PRIVATE KEY-----\nDEK-Info: x-y\n\nabc\n-----END RSA PRIVATE KEY----- ok",
      "[REDACTED] ok",
    ],
    ["a truncated private key", "-----BEGIN PRIVATE KEY-----\nab-c", "[REDACTED]"],
    ["an AWS key", "AKIAIOSFODNN7EXAMPLE", "[REDACTED]"],
    ["a Google key", `AIza${"Sy-x".repeat(8)}`, "[REDACTED]"],
    ...[
      "sk-",
      "pk_",
      "rk_",
      "ghp_",
      "gho_",
      "ghu_",
      "ghs_",
      "ghr_",
      "github_pat_",
      "glpat-",
      "npm_",
      "hf_",
    ].map((prefix): [string, string, string] => [
      `a key that starts with ${prefix}`,
      `x ${prefix}abcdefgh12`,
      "x [REDACTED]",
    ]),
    ...["xoxa-", "xoxb-", "xoxe-", "xoxp-", "xoxr-", "xoxs-"].map((prefix): [string, string, string] => [
      `a token that starts with ${prefix}`,
      `${prefix}abcdefgh12`,
      "[REDACTED]",
    ]),
  ])("%s is redacted", (_title, text, shown) => {
    expect(redact(text)).toBe(shown);
  });

  test.each([
    "the author counted 12 tokens",
    "total_tokens: 12",
    'password="" is empty',
    "http://localhost:8080/@scope/name",
    "keyJsonSerializer.writeValue failed",
    "Bearer auth",
  ])("%j is not changed", (text) => {
    expect(redact(text)).toBe(text);
  });

  test("redacted text is not changed again", () => {
    const text = `Authorization: Bearer abcdef123456\npassword="a b" token=x ://a:b@c ${jwt}`;
    expect(redact(redact(text))).toBe(redact(text));
  });
});

describe("known secrets", () => {
  const SECRET = 'Zx9 canary/42+q"uo\\te\nü';
  const url = encodeURIComponent(SECRET);
  const json = (text: string) => JSON.stringify(text).slice(1, -1);

  test.each<[string, string]>([
    ["as it is", SECRET],
    ["in another case", SECRET.toUpperCase()],
    ["in JSON", json(SECRET)],
    ["in JSON inside JSON", json(json(SECRET))],
    ["in JSON inside JSON inside JSON", json(json(json(SECRET)))],
    ["in a URL", url],
    ["in a URL in lower case", url.toLowerCase()],
    ["in a form", url.replaceAll("%20", "+")],
    ["in base64", Buffer.from(SECRET).toString("base64").replace(/=+$/, "")],
    ["in base64url", Buffer.from(SECRET).toString("base64url")],
  ])("a secret is redacted %s", (_title, form) => {
    expect(createTextRedactor({ limit: 100, secrets: [SECRET] })(`<${form}>`)).toBe("<[REDACTED]>");
  });

  test("the longer of two secrets leaves nothing behind", () => {
    expect(createTextRedactor({ limit: 100, secrets: ["abcd", "abcdefgh"] })("<abcdefgh>")).toBe(
      "<[REDACTED]>",
    );
  });

  test("ignores short secrets, unless `minLength` is lower", () => {
    expect(createTextRedactor({ limit: 100, secrets: ["abc", ""] })("abc")).toBe("abc");
    expect(createTextRedactor({ limit: 100, secrets: ["abc", ""], minLength: 1 })("abc")).toBe(REDACTED);
  });

  test("accepts any secret and redacts all of it", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", minLength: 4, maxLength: 40 }),
        fc.constantFrom("plain", "json", "json twice"),
        (secret, form) => {
          const written = { plain: secret, json: json(secret), "json twice": json(json(secret)) }[form];
          const shown = createTextRedactor({ limit: 1_000, secrets: [secret] })(`(${written})`);
          // Backslashes at the ends of a secret may remain.
          expect(shown.replaceAll("\\", "")).toBe(`(${REDACTED})`);
        },
      ),
    );
  });
});

describe("the limit", () => {
  test.each<[string, string, string]>([
    ["text within the limit is not changed", "x".repeat(20), "x".repeat(20)],
    ["longer text is cut", "x".repeat(21), `${"x".repeat(20)}…`],
    ["a surrogate pair is not split", `${"x".repeat(19)}😀`, `${"x".repeat(19)}…`],
    ["a word at the end of the text that is read is dropped", `one ${"x".repeat(10_000)}`, "one …"],
  ])("%s", (_title, text, shown) => {
    expect(createTextRedactor({ limit: 20 })(text)).toBe(shown);
  });

  test("a secret that is cut at any position does not show in part", () => {
    const cutting = createTextRedactor({ secrets: ["0123456789abcdef"], limit: 50 });
    const filler = `password="${"x ".repeat(2_040)}" `;
    for (let before = 0; before < 120; before++) {
      expect(cutting(`${" ".repeat(before)}0123456789abcdef tail`)).not.toContain("0123");
      expect(cutting(`${filler}${" ".repeat(before)}0123456789abcdef tail`)).not.toContain("0123");
    }
  });
});

describe("hostile text", () => {
  const unbounded = createTextRedactor({ limit: 1_000_000, secrets: ['s3cr\\et"value', "aaaaaaab"] });

  // Quadratic time would take minutes.
  test.each([
    ..."eyJ- eyJ. sk- a- a :// ://a: ://a:b@ password= password=' token:\\\" token\\ \\ - cookie: api_key- AIza".split(
      " ",
    ),
    "Bearer ",
    "Bearer      ",
    "authorization      ",
    "-----BEGIN PRIVATE KEY-----",
    "s3cr\\",
  ])("%j, repeated to 200,000 characters, takes linear time", (piece) => {
    const text = piece.repeat(Math.ceil(200_000 / piece.length));
    const start = performance.now();
    unbounded(text);
    expect(performance.now() - start).toBeLessThan(20_000);
  });
});
