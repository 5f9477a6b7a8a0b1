import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AuthorizationEvent, createAuthorization } from "../../src/index.js";
import type { OAuthOptions } from "../../src/options.js";
import { TOKEN_PROBLEMS } from "../../src/tokens/problems.js";
import { goodToken, type Issuer, KEYS_PATH, RESOURCE, startIssuer } from "../../../../tools/tokens/issuer.js";
import { createSigner, type Signer } from "../../../../tools/tokens/tokens.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const unknownKey = `401 ${TOKEN_PROBLEMS.key}`;
const first = createSigner("ES256", "first");
const second = createSigner("ES256", "second");

let issuer: Issuer;

beforeEach(async () => {
  issuer = await startIssuer();
  issuer.publish([first.jwk]);
});
afterEach(() => issuer.close());

/** An authorization with a clock that tests advance. Timers fire only on demand, so a hanging fetch never ends. */
function trust(options: Partial<OAuthOptions> = {}) {
  let time = Date.now();
  const timers = new Set<() => void>();
  const events: AuthorizationEvent[] = [];
  const now = () => time;
  const startTimer = (task: () => void) => {
    timers.add(task);
    return () => void timers.delete(task);
  };
  const authorization = createAuthorization({
    mode: "oauth",
    issuer: issuer.url,
    resource: RESOURCE,
    discover: false,
    ports: { now, startTimer },
    onEvent: (event) => void events.push(event),
    ...options,
  });
  return {
    events,
    /** Fetches in flight. Each has one timer. */
    timers,
    pass: (ms: number) => void (time += ms),
    fireTimers: () => timers.forEach((task) => task()),
    /** Authenticates with a new token: returns `ok`, or the error response's status and message. */
    show: async (signer: Signer): Promise<string> => {
      const exp = Math.floor(now() / 1_000) + 300;
      const token = goodToken(issuer, signer, { iat: undefined, exp });
      const header = (name: string) => (name === "authorization" ? `Bearer ${token}` : undefined);
      const found = await authorization.authenticate({ method: "POST", url: "/mcp", header });
      return "status" in found ? `${found.status} ${found.message}` : "ok";
    },
  };
}

const hang = () => issuer.answers.set(KEYS_PATH, () => undefined);

describe("an issuer that does not respond", () => {
  test("does not delay tokens with known keys", async () => {
    const { show, pass, timers, fireTimers, events } = trust();
    expect(await show(first)).toBe("ok");
    hang();
    pass(10 * MINUTE_MS);
    const all = await Promise.all(Array.from({ length: 100 }, () => show(first)));
    expect(new Set(all)).toEqual(new Set(["ok"]));
    expect(timers.size).toBe(1);
    await expect.poll(() => issuer.asked).toHaveLength(2);

    // Only the token with an unknown key waits, and it starts no further fetch.
    const waiting = show(second);
    expect([await show(first), timers.size]).toEqual(["ok", 1]);
    fireTimers();
    expect(await waiting).toBe(unknownKey);
    expect(events).toEqual([
      { type: "keys-failed", message: "The server did not respond within 5000 ms." },
      { type: "refused", reason: "key" },
    ]);
    expect(issuer.asked).toHaveLength(2);
  });

  test("does not delay them after the grace time either, once a fetch has failed", async () => {
    const { show, pass, timers, fireTimers } = trust();
    expect(await show(first)).toBe("ok");
    hang();
    pass(10 * MINUTE_MS);
    await show(first);
    fireTimers();
    await expect.poll(() => timers.size).toBe(0);
    pass(5 * HOUR_MS);
    expect([await show(first), timers.size]).toEqual(["ok", 1]);
  });

  test("is asked less and less often, up to once a minute", async () => {
    const { show, pass, timers, fireTimers } = trust({ cooldownMs: 10_000 });
    expect(await show(first)).toBe("ok");
    hang();
    pass(10 * MINUTE_MS);
    for (const pauseMs of [0, 10_000, 20_000, 40_000, 60_000, 60_000]) {
      if (pauseMs > 0) {
        pass(pauseMs - 1_000);
        expect([await show(first), timers.size]).toEqual(["ok", 0]);
        pass(1_000);
      }
      expect([await show(first), timers.size]).toEqual(["ok", 1]);
      fireTimers();
      await expect.poll(() => timers.size).toBe(0);
      // The failure is recorded after the timer has fired.
      await expect.poll(() => show(second)).toBe(unknownKey);
    }
    issuer.publish([second.jwk]);
    pass(MINUTE_MS);
    await expect.poll(() => show(second)).toBe("ok");
    await expect.poll(() => show(first)).toBe(unknownKey);
  });

  test("is asked again a minute after a fetch that never ended", async () => {
    let asked = 0;
    const fetch = async () => {
      asked += 1;
      return asked === 2 ? new Promise<never>(() => {}) : Response.json({ keys: [first.jwk] });
    };
    const { show, pass } = trust({ fetch });
    expect(await show(first)).toBe("ok");
    pass(10 * MINUTE_MS);
    expect([await show(first), asked]).toEqual(["ok", 2]);
    pass(MINUTE_MS - 1_000);
    expect([await show(first), asked]).toEqual(["ok", 2]);
    pass(1_000);
    expect([await show(first), asked]).toEqual(["ok", 3]);
  });

  test("causes no unhandled rejection if `onEvent` throws", async () => {
    let calls = 0;
    const onEvent = () => {
      calls += 1;
      throw new Error("The log is full.");
    };
    const { show, pass, fireTimers } = trust({ onEvent });
    expect(await show(first)).toBe("ok");
    hang();
    pass(10 * MINUTE_MS);
    expect(await show(first)).toBe("ok");
    fireTimers();
    await expect.poll(() => calls).toBe(1);
    expect(await show(first)).toBe("ok");
  });
});

describe("a key that the issuer has removed", () => {
  test("is rejected at once after the grace time", async () => {
    const { show, pass } = trust();
    expect(await show(first)).toBe("ok");
    issuer.publish([second.jwk]);
    pass(10 * MINUTE_MS + HOUR_MS);
    expect(await show(first)).toBe(unknownKey);
  });

  test("is rejected at once after ten minutes without a grace time", async () => {
    const { show, pass } = trust({ keyGraceMs: 0 });
    expect(await show(first)).toBe("ok");
    issuer.publish([second.jwk]);
    pass(10 * MINUTE_MS - 1_000);
    expect(await show(first)).toBe("ok");
    pass(1_000);
    expect(await show(first)).toBe(unknownKey);
  });
});
