import * as fc from "fast-check";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { describe, expect, test, vi } from "vitest";
import { createMemoryRateLimitStore } from "../../src/limits/memory-rate-limit-store.js";
import { createRateLimitStore } from "../../src/limits/rate-limit-store.js";
import { createRateLimiter, rateLimiter } from "../../src/limits/rate-limiter.js";
import { McpError } from "tenon/protocol";

const clock = (at = 1_000_000) => {
  const ports = { time: at, now: () => ports.time };
  return ports;
};
const thrownBy = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
};
const RULE = { limit: 3, windowMs: 1_000 };

describe("the rate limiter", () => {
  test("T43: allows `limit` attempts, then rejects with the standard's message and details", () => {
    const ports = clock();
    const limiter = createRateLimiter({ limit: 2, windowMs: 60_000, ports });
    limiter.check("ada");
    ports.time += 500;
    limiter.check("ada");
    const error = thrownBy(() => limiter.check("ada"));
    expect(error).toBeInstanceOf(McpError);
    expect(error).toMatchObject({
      code: "RATE_LIMITED",
      message: "Rate limit exceeded. Please try again in 60 seconds.",
    });
    expect((error as McpError).details).toEqual({ waitTimeSeconds: 60, limit: 2, windowMs: 60_000 });
    limiter.check("grace");
  });

  test("has the standard's defaults and starts no timer", () => {
    const startTimer = vi.spyOn(globalThis, "setTimeout");
    const startInterval = vi.spyOn(globalThis, "setInterval");
    const limiter = createRateLimiter();
    limiter.check("ada");
    expect(limiter.getConfig()).toEqual({
      limit: 100,
      windowMs: 900_000,
      errorMessage: "Rate limit exceeded. Please try again in {waitTime} seconds.",
      keyGenerator: undefined,
      skipInDevelopment: false,
      exposeKey: false,
    });
    expect(startTimer).not.toHaveBeenCalled();
    expect(startInterval).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  test("opens a new window when the previous one ends", () => {
    const ports = clock();
    const limiter = createRateLimiter({ limit: 1, windowMs: 1_000, ports });
    limiter.check("ada");
    ports.time += 999;
    expect(thrownBy(() => limiter.check("ada"))).toMatchObject({
      message: "Rate limit exceeded. Please try again in 1 seconds.",
    });
    ports.time += 1;
    expect(thrownBy(() => limiter.check("ada"))).toBeUndefined();
  });

  test("returns the status of a key, and resets one key or all", () => {
    const ports = clock();
    const limiter = createRateLimiter({ limit: 5, windowMs: 1_000, ports });
    expect(limiter.getStatus("ada")).toBeUndefined();
    limiter.consume("ada", 2);
    ports.time += 400;
    expect(limiter.getStatus("ada")).toEqual({ current: 2, limit: 5, remaining: 3, resetTime: 1_001_000 });
    limiter.consume("grace");
    limiter.reset("ada");
    expect(limiter.getStatus("ada")).toBeUndefined();
    expect(limiter.getStatus("grace")).toMatchObject({ current: 1 });
    limiter.reset();
    expect(limiter.getStatus("grace")).toBeUndefined();
    limiter.check("ada");
    limiter.dispose();
    expect(limiter.getStatus("ada")).toBeUndefined();
  });

  test("a rejected attempt consumes no points", () => {
    const limiter = createRateLimiter({ limit: 3 });
    expect(limiter.consume("ada", 2)).toMatchObject({ allowed: true, remaining: 1 });
    expect(limiter.consume("ada", 2)).toMatchObject({ allowed: false, remaining: 1 });
    expect(limiter.consume("ada", 1)).toMatchObject({ allowed: true, remaining: 0 });
  });

  test("can be reconfigured; omitted settings keep their values", () => {
    const limiter = createRateLimiter({
      limit: 1,
      exposeKey: true,
      keyGenerator: (key, at) => `${key}@${String(at)}`,
    });
    limiter.configure({ errorMessage: "Wait {waitTime}, {waitTime} $& s", limit: 2, windowMs: 1_000 });
    limiter.check("ada", "home");
    limiter.check("ada", "home");
    limiter.check("ada", "work");
    const error = thrownBy(() => limiter.check("ada", "home"));
    expect(error).toMatchObject({
      message: "Wait 1, 1 $& s",
      details: { waitTimeSeconds: 1, key: "ada@home", limit: 2, windowMs: 1_000 },
    });
    limiter.configure({ keyGenerator: undefined });
    expect(limiter.getConfig()).toMatchObject({ limit: 2, exposeKey: true, keyGenerator: undefined });
  });

  test.each(["development", () => "development"])(
    "skips counting in development if configured",
    (environment) => {
      const limiter = createRateLimiter({ limit: 1, skipInDevelopment: true, environment });
      for (let count = 0; count < 5; count++) limiter.check("ada");
      const strict = createRateLimiter({ limit: 1, skipInDevelopment: true, environment: "production" });
      strict.check("ada");
      expect(() => strict.check("ada")).toThrow("Rate limit exceeded");
    },
  );

  test.each([
    [{ limit: 0 }, "`limit` must be a positive integer; got 0."],
    [{ limit: 1.5 }, "`limit` must be a positive integer; got 1.5."],
    [{ limit: Number.NaN }, "`limit` must be a positive integer; got NaN."],
    [{ windowMs: 0 }, "`windowMs` must be a finite number greater than or equal to 1 (milliseconds); got 0."],
    [
      { windowMs: Infinity },
      "`windowMs` must be a finite number greater than or equal to 1 (milliseconds); got Infinity.",
    ],
    [{ max: 3 }, "Did you mean `limit`?"],
    [{ maxKeys: 0 }, "`maxKeys` must be a positive integer; got 0."],
  ])("rejects invalid settings: %o", (options, message) => {
    expect(() => createRateLimiter(options)).toThrow(message);
  });

  test("replaces long keys with their digest", () => {
    const limiter = createRateLimiter({ limit: 1, exposeKey: true });
    const long = "k".repeat(100_000);
    limiter.check(long);
    limiter.check(`${long}2`);
    expect((thrownBy(() => limiter.check(long)) as McpError).details?.["key"]).toMatch(/^sha256:[\w-]{43}$/);
  });

  test("T43: the shared limiter is a synchronous singleton", () => {
    rateLimiter.configure({ limit: 1 });
    rateLimiter.check("central");
    expect(() => rateLimiter.check("central")).toThrow("Rate limit exceeded");
    rateLimiter.dispose();
    rateLimiter.configure({ limit: 100 });
  });

  test("takes only microseconds", () => {
    const limiter = createRateLimiter({ limit: 1_000_000_000 });
    const keys = Array.from({ length: 100 }, (_, index) => `tool echo\nuser-${index}`);
    const run = () => {
      const start = performance.now();
      for (let round = 0; round < 2_000; round++) for (const key of keys) limiter.check(key);
      return ((performance.now() - start) * 1_000) / (2_000 * keys.length);
    };
    run();
    expect(Math.min(run(), run(), run())).toBeLessThan(20);
  });
});

describe("the in-memory store", () => {
  test("never exceeds the maximum number of keys, and evicts expired windows", () => {
    const ports = clock();
    const store = createMemoryRateLimitStore({ maxKeys: 100, ports });
    for (let index = 0; index < 10_000; index++) store.consume(`key ${index}`, 1, RULE);
    expect(store.size).toBe(100);
    ports.time += RULE.windowMs;
    for (let index = 0; index < 60; index++) store.consume(`late ${index}`, 1, RULE);
    expect(store.size).toBeLessThan(70);
  });

  test("a rejected client stays rejected, regardless of how many new keys it sends", () => {
    const store = createMemoryRateLimitStore({ maxKeys: 1_000, ports: clock() });
    const attackers = Array.from({ length: 50 }, (_, index) => `attacker ${index}`);
    for (const key of attackers) for (let count = 0; count < 3; count++) store.consume(key, 1, RULE);
    for (let index = 0; index < 100_000; index++) store.consume(`flood ${index}`, 1, RULE);
    expect(store.size).toBe(1_000);
    expect(attackers.filter((key) => store.consume(key, 1, RULE).allowed)).toEqual([]);
  });

  test("never allows more than the limit in a window (property)", () => {
    const attempt = fc.record({
      key: fc.constantFrom("a", "b", "c"),
      points: fc.integer({ min: 1, max: 4 }),
      wait: fc.nat(600),
    });
    fc.assert(
      fc.property(fc.array(attempt, { maxLength: 60 }), (attempts) => {
        const ports = clock();
        const store = createMemoryRateLimitStore({ maxKeys: 3, ports });
        const model = new Map<string, { left: number; end: number }>();
        for (const { key, points, wait } of attempts) {
          ports.time += wait;
          const known = model.get(key);
          const window =
            known === undefined || known.end <= ports.time
              ? { left: RULE.limit, end: ports.time + RULE.windowMs }
              : known;
          model.set(key, window);
          const allowed = points <= window.left;
          if (allowed) window.left -= points;
          expect(store.consume(key, points, RULE)).toEqual({
            allowed,
            remaining: window.left,
            resetMs: window.end - ports.time,
          });
        }
      }),
    );
  });
});

describe("a store on rate-limiter-flexible", () => {
  const flexible = () => new RateLimiterMemory({ points: 2, duration: 60 });

  test("T43: counts, rejects, and resets through the package", async () => {
    const limiter = createRateLimiter({ store: createRateLimitStore(flexible()) });
    expect(limiter.getConfig()).toMatchObject({ limit: 2, windowMs: 60_000 });
    await limiter.check("ada");
    await limiter.check("ada");
    await expect(limiter.check("ada")).rejects.toMatchObject({
      code: "RATE_LIMITED",
      message: "Rate limit exceeded. Please try again in 60 seconds.",
      details: { waitTimeSeconds: 60, limit: 2, windowMs: 60_000 },
    });
    expect(await limiter.getStatus("ada")).toMatchObject({ current: 2, limit: 2, remaining: 0 });
    await limiter.reset("ada");
    expect(await limiter.getStatus("ada")).toBeUndefined();
    await limiter.check("ada");
    await expect(limiter.reset()).rejects.toThrow("one key at a time");
  });

  test("rejects a rule that differs from the package's own", () => {
    const store = createRateLimitStore(flexible());
    expect(() => createRateLimiter({ store, limit: 5 })).toThrow(
      "The store has a fixed limit of 2 attempts per 60000 ms; got ",
    );
    expect(createRateLimiter({ store, limit: 2 }).getConfig().limit).toBe(2);
  });

  test.each([
    [
      "synchronously",
      () => {
        throw new Error("redis://:secret@host is down");
      },
    ],
    ["asynchronously", () => Promise.reject(new Error("redis://:secret@host is down"))],
  ])("rejects every call if the store fails %s, without revealing the cause", async (_when, consume) => {
    const limiter = createRateLimiter({ store: { consume } });
    const error = await Promise.resolve()
      .then(() => limiter.check("ada"))
      .catch((failure: unknown) => failure);
    expect(error).toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      message: "Rate limiting is temporarily unavailable. Try again later.",
    });
    expect((error as McpError).details).toBeUndefined();
    expect(String((error as McpError).cause)).toContain("is down");
    expect(() => limiter.getStatus("ada")).toThrow("does not support `getStatus`");
    expect(() => limiter.reset("ada")).toThrow("does not support `reset`");
  });
});
