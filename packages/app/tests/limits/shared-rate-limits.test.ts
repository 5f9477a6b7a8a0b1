import { describe, expect, test } from "vitest";
import { createMemoryStore, type RateLimits } from "tenon/stores";
import { createRateLimiter } from "../../src/limits/rate-limiter.js";

describe("a rate limiter on the rate limits of a shared store", () => {
  test("shares its limit with the limiters of other nodes", async () => {
    const { rateLimits } = createMemoryStore();
    const [first, second] = [1, 2].map(() =>
      createRateLimiter({ store: rateLimits, limit: 3, windowMs: 60_000 }),
    );
    await first?.check("ada");
    await second?.check("ada");
    await first?.check("ada");
    await expect(second?.check("ada")).rejects.toMatchObject({ code: "RATE_LIMITED" });
    await expect(second?.getStatus("ada")).resolves.toMatchObject({ current: 3, limit: 3, remaining: 0 });
    await second?.check("bob");
    await second?.reset("ada");
    await first?.check("ada");
  });

  test("counts long keys, and never allows more than the limit", async () => {
    const limiter = createRateLimiter({ store: createMemoryStore().rateLimits, limit: 10, windowMs: 60_000 });
    const key = "x".repeat(5_000);
    const outcomes = await Promise.all(Array.from({ length: 50 }, async () => limiter.consume(key)));
    expect(outcomes.filter(({ allowed }) => allowed)).toHaveLength(10);
  });

  test("rejects every attempt if the store fails, without the cause", async () => {
    const failing: RateLimits = {
      ...createMemoryStore().rateLimits,
      consume: () => Promise.reject(new Error("10.0.0.5 is down")),
    };
    const limiter = createRateLimiter({ store: failing });
    await expect(limiter.check("ada")).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      message: "Rate limiting is temporarily unavailable. Try again later.",
    });
  });
});
