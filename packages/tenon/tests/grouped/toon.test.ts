import { decode } from "@toon-format/toon";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createTool, toonSuccess } from "../../src/grouped/index.js";
import type { ToonOptions } from "../../src/grouped/toon.js";
import { isJsonObject } from "@tenon/internal/json";

/** Returns the text of a TOON result. */
function textOf(data: unknown, options?: ToonOptions): string {
  const { content, isError } = toonSuccess(data, options);
  const [block] = content;
  expect(content).toHaveLength(1);
  expect(isError).toBeUndefined();
  return block?.type === "text" ? block.text : "";
}

describe("toonSuccess", () => {
  test.each<[what: string, data: unknown, text: string]>([
    [
      "rows contain null for missing columns",
      [{ id: 1, name: "Ada", admin: true }, { id: 2 }, { name: "Alan", id: 3 }],
      "[3|]{id|name|admin}:\n  1|Ada|true\n  2|null|null\n  3|Alan|null",
    ],
    [
      "lists inside other values are tables too",
      { page: 1, users: [{ id: 1 }, { id: 2, tag: "x" }] },
      "page: 1\nusers[2|]{id|tag}:\n  1|null\n  2|x",
    ],
    [
      "lists in the items of lists are tables too",
      [{ team: "a", users: [{ id: 1 }, { tag: "x" }] }],
      "[1|]:\n  - team: a\n    users[2|]{id|tag}:\n      1|null\n      null|x",
    ],
    ["the delimiter in a value is quoted", [{ text: "a|b" }, { text: "c,d" }], '[2|]{text}:\n  "a|b"\n  c,d'],
    ["an empty text is not a gap", [{ id: 1, note: "" }, { id: 2 }], '[2|]{id|note}:\n  1|""\n  2|null'],
    [
      "dates are text, and their rows are still a table",
      [{ id: 1, at: new Date(0) }, { id: 2 }],
      '[2|]{id|at}:\n  1|"1970-01-01T00:00:00.000Z"\n  2|null',
    ],
    ["text is unchanged", "hello", "hello"],
    ["undefined is null", undefined, "null"],
  ])("%s", (_what, data, text) => {
    expect(textOf(data)).toBe(text);
  });

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "a column named %s is a column, and a gap in it is null",
    (name) => {
      const rows = [JSON.parse(`{"id":1,${JSON.stringify(name)}:"x"}`) as unknown, { id: 2 }];
      expect(textOf(rows)).toBe(`[2|]{id|${name}}:\n  1|x\n  2|null`);
    },
  );

  test("rows that share few columns are not changed, because the table would grow quadratically", () => {
    const rows = Array.from({ length: 2_000 }, (_, row) => ({ [`only${row}`]: row }));
    const text = textOf(rows);
    expect(decode(text)).toEqual(rows);
    expect(text.length).toBeLessThan(60_000);
  });

  test("encoded data decodes to the same data, with null in the gaps: 500 values", () => {
    const cell = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.double({ noNaN: true }),
      fc.boolean(),
      fc.constant(null),
    );
    const column = fc.oneof(fc.constantFrom("id", "name", "at|by", "a,b", "x:y"), fc.string());
    const row = fc.dictionary(column, cell, { maxKeys: 5 });
    const value = fc.oneof(
      fc.array(row, { maxLength: 8 }),
      fc.record({ rows: fc.array(row, { maxLength: 8 }), total: fc.integer() }),
      fc.jsonValue({ maxDepth: 4 }),
    );
    fc.assert(
      fc.property(value, fc.constantFrom("|" as const, "," as const, "\t" as const), (data, delimiter) => {
        const plain: unknown = JSON.parse(JSON.stringify(data));
        expect(decode(textOf(data, { delimiter }))).toEqual(fillGaps(plain));
      }),
      { numRuns: 500 },
    );
  });
});

/** Independent model of the tables: fills in the columns that a row lacks. */
function fillGaps(value: unknown): unknown {
  if (Array.isArray(value)) {
    const isTable = value.every(
      (row) =>
        isJsonObject(row) && Object.values(row).every((cell) => cell === null || typeof cell !== "object"),
    );
    if (!isTable) return value.map(fillGaps);
    return value.map((row: object) => {
      const filled = new Map(
        value.flatMap((other: object) => Object.keys(other)).map((name) => [name, null]),
      );
      for (const [name, cell] of Object.entries(row)) filled.set(name, cell as null);
      return Object.fromEntries(filled);
    });
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fillGaps(member)]));
}

describe("toonDescription", () => {
  const encoded = (text: string) => text.slice(text.indexOf("\n\n") + 2);
  const list = {
    name: "list",
    description: "List | all",
    readOnly: true,
    handler: () => "",
  };
  const ban = {
    name: "ban",
    schema: z.object({ id: z.string(), why: z.string(), until: z.string().optional() }),
    destructive: true,
    handler: () => "",
  };

  test("F35, F36: the summary, then one table that decodes to one row for each action", () => {
    const { description = "" } = createTool("users")
      .description("Manage users")
      .action(list)
      .action(ban)
      .toonDescription()
      .buildToolDefinition();
    expect(description).toBe(
      [
        "Manage users",
        "",
        "[2|]{action|desc|required|destructive}:",
        '  list|"List | all"|""|false',
        '  ban|""|id,why|true',
      ].join("\n"),
    );
    expect(decode(encoded(description))).toEqual([
      { action: "list", desc: "List | all", required: "", destructive: false },
      { action: "ban", desc: "", required: "id,why", destructive: true },
    ]);
  });

  test("F37: with groups, one table for each group that decodes to its rows", () => {
    const { description = "" } = createTool("platform")
      .group("users", (g) => g.action(list).action(ban))
      .group("billing", (g) => g.action({ name: "refund", handler: () => "" }))
      .toonDescription()
      .buildToolDefinition();
    expect(decode(encoded(description))).toEqual({
      users: [
        { action: "list", desc: "List | all", required: "", destructive: false },
        { action: "ban", desc: "(optional until)", required: "id,why", destructive: true },
      ],
      billing: [{ action: "refund", desc: "", required: "", destructive: false }],
    });
  });
});
