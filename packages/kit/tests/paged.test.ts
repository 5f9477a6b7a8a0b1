import * as fc from "fast-check";
import { encode } from "gpt-tokenizer";
import { describe, expect, test } from "vitest";
import { type Page, paged } from "../src/index.js";
import type { PageOptions } from "../src/output/paged.js";
import { McpError } from "tenon/protocol";

const messages = Array.from({ length: 100 }, (_, id) => ({ id, subject: `Message number ${id}` }));
const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Returns all pages, as a model would request them. */
function readAll<Item>(items: readonly Item[], options: PageOptions): Page<Item>[] {
  const pages = [paged(items, options)];
  for (let token = pages[0]?.nextPageToken; token !== undefined; token = pages.at(-1)?.nextPageToken) {
    pages.push(paged(items, { ...options, pageToken: token }));
    if (pages.length > items.length + 1) throw new Error("no end");
  }
  return pages;
}

describe("Z27: paged", () => {
  test("returns one page without a token if everything fits", () => {
    expect(paged([1, 2, 3], { maxBytes: 1000 })).toEqual({ type: "success", items: [1, 2, 3] });
    expect(paged([], { maxBytes: 1 })).toEqual({ type: "success", items: [] });
  });

  test("splits between items and includes a hint to get the rest", () => {
    const page = paged(messages, { maxBytes: 1000 });
    expect(page.items).toEqual(messages.slice(0, page.items.length));
    expect(page.nextPageToken).toMatch(/^[\w-]{10,60}$/);
    expect(page.hint).toBe(
      `Showing items 1 to ${page.items.length} of 100. ` +
        "For more, call again with the same arguments and this nextPageToken as pageToken.",
    );
  });

  test("the whole page stays within the budget and uses it", () => {
    for (const page of readAll(messages, { maxBytes: 1000 }).slice(0, -1)) {
      expect(sizeOf(page)).toBeLessThanOrEqual(1000);
      expect(sizeOf(page)).toBeGreaterThan(900);
    }
  });

  test("the pages contain every item exactly once", () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { maxLength: 60 }),
        fc.integer({ min: 1, max: 3000 }),
        (list, maxBytes) => {
          const items = list.map((value, index) => ({ index, value }));
          expect(readAll(items, { maxBytes }).flatMap((page) => page.items)).toEqual(items);
        },
      ),
    );
  });

  test("an item larger than the budget is its own page", () => {
    const items = ["a", "x".repeat(5000), "b"];
    const pages = readAll(items, { maxBytes: 400 });
    expect(pages.map((page) => page.items)).toEqual([["a"], ["x".repeat(5000)], ["b"]]);
    expect(readAll(items, { maxBytes: 1 })).toHaveLength(3);
  });

  test("counts UTF-8 bytes", () => {
    const wide = Array.from({ length: 50 }, () => "会议记录");
    for (const page of readAll(wide, { maxBytes: 500 })) expect(sizeOf(page)).toBeLessThanOrEqual(500);
  });
});

describe("Z27: a budget in tokens", () => {
  const random = (seed: number) => Math.abs(Math.sin(seed) * 1e6);
  const hex = (seed: number) => random(seed).toString(16).replace(".", "").slice(0, 8).padEnd(8, "7");
  const KINDS: Readonly<Record<string, readonly unknown[]>> = {
    records: Array.from({ length: 300 }, (_, id) => ({
      id: `${hex(id)}-${hex(id + 1).slice(0, 4)}-${hex(id + 2)}`,
      from: `ada${id}@example.com`,
      date: new Date(1.7e12 + id * 1e7).toISOString(),
    })),
    prose: Array.from(
      { length: 300 },
      (_, id) => `Item ${id}: the committee met on Tuesday to discuss the budget.`,
    ),
    chinese: Array.from({ length: 300 }, (_, id) => ({
      id,
      text: "会议记录和季度预算的讨论，请在星期五之前回复",
    })),
    numbers: Array.from({ length: 300 }, (_, id) => [random(id), random(id + 0.5)]),
  };

  test.each(Object.entries(KINDS))("the estimate is at least the tokenizer's count: %s", (_, items) => {
    for (const page of readAll(items, { maxTokens: 1000 })) {
      expect(encode(JSON.stringify(page)).length).toBeLessThanOrEqual(1000);
    }
    expect(readAll(items, { maxTokens: 1000 }).length).toBeGreaterThan(2);
  });

  test("a custom tokenizer fills pages better", () => {
    const countTokens = (text: string) => encode(text).length;
    const items = KINDS["prose"] ?? [];
    const [counted, estimated] = [{ countTokens }, {}].map((how) =>
      paged(items, { maxTokens: 1000, ...how }),
    );
    expect(counted?.items.length).toBeGreaterThan(1.5 * (estimated?.items.length ?? 0));
    expect(countTokens(JSON.stringify(counted))).toBeLessThanOrEqual(1000);
  });
});

describe("Z27: a page token", () => {
  const token = paged(messages, { maxBytes: 1000 }).nextPageToken ?? "";
  const first = paged(messages, { maxBytes: 1000 }).items.length;
  const next = (items: readonly unknown[], pageToken: string) =>
    paged(items, { maxBytes: 1000, pageToken }).items[0];

  test.each([
    "",
    "garbage",
    "MS4x",
    `${token}A`,
    token.slice(1),
    token.replace(/^./, "Z"),
    token.toUpperCase(),
    `${token}=`,
    "x".repeat(100_000),
    "\u0000",
    Buffer.from("1.a.b.c").toString("base64url"),
    Buffer.from("1.zzzzzzzzzz.b.c").toString("base64url"),
  ])("rejects %j", (pageToken) => {
    expect(() => paged(messages, { maxBytes: 1000, pageToken })).toThrow(
      new McpError(
        "INVALID_PARAMS",
        "This pageToken is invalid. Call again without it to start at the first page.",
      ),
    );
  });

  test("rejects any other text quickly", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (pageToken) => {
        expect(() => paged(messages, { maxBytes: 1000, pageToken })).toThrow(McpError);
      }),
    );
  });

  test("added or removed items before it do not shift the rest", () => {
    expect(next(messages, token)).toEqual(messages[first]);
    expect(next([{ id: -1 }, { id: -2 }, ...messages], token)).toEqual(messages[first]);
    expect(next(messages.slice(3), token)).toEqual(messages[first]);
    expect(next(messages.slice(0, first), token)).toBeUndefined();
  });

  test("uses the nearest of equal items", () => {
    const same = Array.from({ length: 100 }, () => ({ subject: "the same" }));
    expect(readAll(same, { maxBytes: 500 }).flatMap((page) => page.items)).toHaveLength(100);
  });

  test("reports a list that has changed", () => {
    for (const items of [[], [{ id: 1 }], messages.slice(first)]) {
      expect(() => paged(items, { maxBytes: 1000, pageToken: token })).toThrow(
        new McpError(
          "INVALID_PARAMS",
          "The list has changed since this pageToken was issued. Call again without it to start at the first page.",
        ),
      );
    }
  });
});

describe("a budget", () => {
  test.each<[string, unknown, string]>([
    ["neither", {}, "Set exactly one of `maxBytes` and `maxTokens`; got neither."],
    ["both", { maxBytes: 1, maxTokens: 1 }, "Set exactly one of `maxBytes` and `maxTokens`; got both."],
    ["zero", { maxBytes: 0 }, "`maxBytes` must be a positive number; got 0."],
    ["a negative number", { maxTokens: -5 }, "`maxTokens` must be a positive number; got -5."],
    ["NaN", { maxTokens: Number.NaN }, "`maxTokens` must be a positive number; got NaN."],
  ])("rejects %s", (_, options, message) => {
    expect(() => paged([1], options as PageOptions)).toThrow(message);
  });
});
