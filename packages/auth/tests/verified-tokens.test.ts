import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAuthorization } from "../src/index.js";
import type { OAuthOptions } from "../src/options.js";
import { isCanonical } from "../src/tokens/compact-token.js";
import { createVerifiedTokens } from "../src/verified-tokens.js";
import { fromBase64Url } from "@tenon/internal/base64";
import { withPorts } from "@tenon/internal/ports";
import { seconds, startTrust } from "../../../tools/tokens/issuer.js";

type Trust = Awaited<ReturnType<typeof startTrust>>;
let trust: Trust;
beforeAll(async () => {
  trust = await startTrust();
});
afterAll(() => trust.issuer.close());

/** Creates a server that trusts the issuer. Its clock can be moved, and its signature checks are counted. */
function setUp(options: Partial<OAuthOptions> = {}) {
  let now = seconds() * 1_000;
  let checks = 0;
  const { subtle } = globalThis.crypto;
  const verify = subtle.verify.bind(subtle);
  const authorization = createAuthorization({
    ...trust.options,
    ports: { now: () => now },
    ...options,
  });
  return {
    pass: (ms: number) => {
      now += ms;
    },
    /** Authenticates with a token. Returns the outcome and the number of signature checks. */
    show: async (token: string): Promise<readonly [isTaken: boolean, checks: number]> => {
      checks = 0;
      subtle.verify = (...args: Parameters<typeof verify>) => {
        checks++;
        return verify(...args);
      };
      try {
        const found = await authorization.authenticate({
          method: "POST",
          url: "/mcp",
          header: () => `Bearer ${token}`,
        });
        return ["auth" in found, checks];
      } finally {
        Reflect.deleteProperty(subtle, "verify");
      }
    },
  };
}

describe("a verified token", () => {
  test("has its signature checked once a minute", async () => {
    const { show, pass } = setUp();
    const token = trust.token();
    expect(await show(token)).toEqual([true, 1]);
    expect(await show(token)).toEqual([true, 0]);
    pass(59_999);
    expect(await show(token)).toEqual([true, 0]);
    pass(1);
    expect(await show(token)).toEqual([true, 1]);
  });

  test("T57: expires on time despite the cache", async () => {
    const { show, pass } = setUp();
    const token = trust.token({ exp: seconds() + 10 });
    expect(await show(token)).toEqual([true, 1]);
    pass(14_000);
    expect(await show(token)).toEqual([true, 0]);
    pass(2_000);
    expect(await show(token)).toEqual([false, 1]);
  });

  test("T57: is rejected when it is too old, despite the cache", async () => {
    const { show, pass } = setUp({ maxTokenAgeSeconds: 20 });
    const token = trust.token({ iat: seconds() });
    expect(await show(token)).toEqual([true, 1]);
    pass(24_000);
    expect(await show(token)).toEqual([true, 0]);
    pass(2_000);
    expect(await show(token)).toEqual([false, 1]);
  });

  test("is verified every time with `cacheMs: 0`", async () => {
    const { show } = setUp({ cacheMs: 0 });
    const token = trust.token();
    expect([await show(token), await show(token)]).toEqual([
      [true, 1],
      [true, 1],
    ]);
  });

  test("T57: does not make a token valid that differs in one character", async () => {
    const { show } = setUp();
    const token = trust.token();
    expect(await show(token)).toEqual([true, 1]);
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/~";
    await fc.assert(
      fc.asyncProperty(
        fc.nat(token.length - 1),
        fc.constantFrom(...alphabet.split("")),
        async (at, character) => {
          const other = token.slice(0, at) + character + token.slice(at + 1);
          if (other !== token) expect((await show(other))[0]).toBe(false);
        },
      ),
    );
    expect(await show(token)).toEqual([true, 0]);
  });
});

describe("the token cache", () => {
  test("T57: holds a thousand tokens and evicts the least recently used one", () => {
    const tokens = createVerifiedTokens(withPorts({ now: () => 0 }), 60_000);
    const auth = { principal: "ada", scopes: [] };
    for (let index = 0; index < 1_000; index++) tokens.put(`t${index}`, auth, Infinity);
    expect(tokens.get("t0")).toBe(auth);
    tokens.put("one more", auth, Infinity);
    expect([tokens.get("t0"), tokens.get("t1"), tokens.get("one more")]).toEqual([auth, undefined, auth]);
  });

  test("misses when the clock was set back", () => {
    let now = 1_000;
    const tokens = createVerifiedTokens(withPorts({ now: () => now }), 60_000);
    tokens.put("t", { principal: "ada", scopes: [] }, Infinity);
    now = 999;
    expect(tokens.get("t")).toBeUndefined();
  });

  test("stores digests, not tokens", async () => {
    const tokens = createVerifiedTokens(withPorts(), 60_000);
    expect(await tokens.keyOf("abc")).toBe("ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
  });
});

test("isCanonical accepts exactly one spelling of each base64url value", () => {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= é\n";
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...alphabet.split("")), minLength: 1, maxLength: 9 }),
      (text) => {
        expect(isCanonical(text)).toBe(fromBase64Url(text) !== undefined);
      },
    ),
    { numRuns: 2_000 },
  );
  expect(isCanonical("AA\n")).toBe(false);
});
