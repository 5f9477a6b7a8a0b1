/**
 * @fileoverview Contract cases for rate limits.
 * @module tenon/stores/contract/rate-limit-cases
 */
import { assertEqual } from "../../tasks/contract/checks.js";
import type { RateLimitOutcome, RateLimits } from "../ports.js";
import { assertRangeErrors, defineNodeCases, type StoreCase } from "./case-context.js";
import { BAD_NAMES, BAD_NUMBERS, times, toLabel, TRICKY_NAMES } from "./samples.js";

type Case = StoreCase<RateLimits>;

const RULE = { limit: 3, windowMs: 60_000 };

/** Cases for counting. */
const COUNT_CASES: readonly Case[] = [
  .../* @__PURE__ */ defineNodeCases<RateLimits>({
    async "attempts are allowed up to the limit, and rejected attempts consume nothing"([limits]) {
      const outcomes: RateLimitOutcome[] = [];
      for (let n = 0; n < 5; n++) outcomes.push(await limits.consume("key", 1, RULE));
      assertEqual("The outcomes", outcomes.map(toPair), [
        [true, 2],
        [true, 1],
        [true, 0],
        [false, 0],
        [false, 0],
      ]);
      for (const { resetMs } of outcomes) assertWithin(resetMs, RULE.windowMs);
      assertEqual(
        "The attempt with a higher limit",
        toPair(await limits.consume("key", 1, { ...RULE, limit: 4 })),
        [true, 0],
      );
    },
    async "an attempt that costs more than is left is rejected, and a cheaper one is allowed"([limits]) {
      assertEqual("The first attempt", toPair(await limits.consume("key", 2, RULE)), [true, 1]);
      assertEqual("The second attempt", toPair(await limits.consume("key", 2, RULE)), [false, 1]);
      assertEqual("The third attempt", toPair(await limits.consume("key", 1, RULE)), [true, 0]);
      assertEqual("An attempt above the limit", toPair(await limits.consume("new", 4, RULE)), [false, 3]);
      assertEqual("An attempt with all points", toPair(await limits.consume("new", 3, RULE)), [true, 0]);
    },
    async "`peek` returns the state and consumes nothing"([limits, peer]) {
      assertEqual("The state without a window", await limits.peek("key", RULE), undefined);
      await limits.consume("key", 2, RULE);
      for (let n = 0; n < 3; n++) {
        const state = await peer.peek("key", RULE);
        assertEqual("The state", state && toPair(state), [true, 1]);
        assertWithin(state?.resetMs ?? 0, RULE.windowMs);
      }
      await limits.consume("key", 1, RULE);
      const state = await peer.peek("key", RULE);
      assertEqual("The state without points left", state && toPair(state), [false, 0]);
    },
    async "`reset` deletes one counter"([limits, peer]) {
      for (const key of ["key", "other"]) await limits.consume(key, 3, RULE);
      await peer.reset("key");
      await peer.reset("unknown");
      assertEqual("The state", await limits.peek("key", RULE), undefined);
      assertEqual("The attempt", toPair(await limits.consume("key", 1, RULE)), [true, 2]);
      assertEqual("The attempt with another key", toPair(await limits.consume("other", 1, RULE)), [false, 0]);
    },
    async "similar or unusual keys are counted separately"([limits]) {
      const rule = { ...RULE, limit: 100 };
      for (const [index, key] of TRICKY_NAMES.entries()) await limits.consume(key, index + 1, rule);
      for (const [index, key] of TRICKY_NAMES.entries()) {
        const remaining = (await limits.peek(key, rule))?.remaining;
        assertEqual(`The points left for ${toLabel(key)}`, remaining, 99 - index);
      }
    },
    async "100 concurrent attempts never exceed the limit"([limits, peer]) {
      const rule = { limit: 37, windowMs: 60_000 };
      const outcomes = await Promise.all(
        times(100, (n) => (n % 2 === 0 ? limits : peer).consume("key", 1, rule)),
      );
      const allowed = outcomes.filter((outcome) => outcome.allowed);
      assertEqual("The number of allowed attempts", allowed.length, 37);
      const left = allowed.map(({ remaining }) => remaining).toSorted((a, b) => a - b);
      assertEqual(
        "The points left after each of them",
        left,
        times(37, (n) => n),
      );
    },
  }),
  {
    title: "two nodes share one limit",
    needs: "createPeer",
    async run(context) {
      const [limits, peer] = await context.openBoth({});
      const outcomes = [
        await limits.consume("key", 1, RULE),
        await peer.consume("key", 1, RULE),
        await limits.consume("key", 1, RULE),
        await peer.consume("key", 1, RULE),
      ];
      assertEqual(
        "The allowed attempts",
        outcomes.map(({ allowed }) => allowed),
        [true, true, true, false],
      );
    },
  },
];

/** Cases for windows and invalid arguments. */
const WINDOW_CASES: readonly Case[] = [
  .../* @__PURE__ */ defineNodeCases<RateLimits>({
    async "a window starts with the first attempt, and ends although attempts continue"(
      [limits, peer],
      context,
    ) {
      const { ttl, within, rest } = context.lifetime;
      const rule = { limit: 2, windowMs: ttl };
      await limits.consume("key", 2, rule);
      await context.advance(within);
      const rejected = await peer.consume("key", 1, rule);
      assertEqual("An attempt in the same window", toPair(rejected), [false, 0]);
      // Timers and clocks may differ by a few milliseconds.
      assertWithin(rejected.resetMs, ttl - within + 50);
      await context.advance(rest);
      assertEqual("The state after the window", await peer.peek("key", rule), undefined);
      const next = await peer.consume("key", 1, rule);
      assertEqual("An attempt in the next window", toPair(next), [true, 1]);
      await context.advance(rest);
      assertEqual("The next window lasts as long", toPair(await limits.consume("key", 1, rule)), [true, 0]);
    },
  }),
  ...BAD_NAMES.map((key): Case => ({
    title: `a key with ${key.length} characters is rejected`,
    async run(context) {
      const limits = await context.open({});
      await assertRangeErrors({
        consume: limits.consume(key, 1, RULE),
        peek: limits.peek(key, RULE),
        reset: limits.reset(key),
      });
    },
  })),
  ...[0, ...BAD_NUMBERS].map((number): Case => ({
    title: `points, a limit, or a window of ${number} are rejected`,
    async run(context) {
      const limits = await context.open({});
      await assertRangeErrors({
        points: limits.consume("key", number, RULE),
        limit: limits.consume("key", 1, { ...RULE, limit: number }),
        windowMs: limits.consume("key", 1, { ...RULE, windowMs: number }),
      });
      assertEqual("The state", await limits.peek("key", RULE), undefined);
    },
  })),
  {
    title: "the limits work again after the connection was lost",
    needs: "interrupt",
    async run(context) {
      const limits = await context.open({});
      await limits.consume("key", 2, RULE);
      await context.interrupt(limits);
      await context.untilDone("a read succeeds", () => limits.peek("key", RULE));
      assertEqual("The points left", (await limits.peek("key", RULE))?.remaining, 1);
      assertEqual("The next attempt", toPair(await limits.consume("key", 1, RULE)), [true, 0]);
    },
  },
];

/** Cases for rate limits. */
export const RATE_LIMIT_CASES: readonly Case[] = [...COUNT_CASES, ...WINDOW_CASES];

function toPair({ allowed, remaining }: RateLimitOutcome): readonly [boolean, number] {
  return [allowed, remaining];
}

function assertWithin(resetMs: number, most: number): void {
  if (resetMs > 0 && resetMs <= most) return;
  throw new Error(`\`resetMs\`: expected more than 0 and at most ${most}; got ${resetMs}.`);
}
