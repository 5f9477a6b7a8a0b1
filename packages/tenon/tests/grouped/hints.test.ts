import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { closestName } from "@tenon/internal/names/closest-name";
import { createTool } from "../../src/grouped/index.js";
import { textOf } from "../support/grouped/results.js";

const handler = () => "done";

const users = () =>
  createTool("users")
    .action({ name: "list", schema: z.object({ limit: z.number().optional() }), handler })
    .action({
      name: "create",
      schema: z.object({ email: z.string(), displayName: z.string().optional() }),
      handler,
    })
    .action({ name: "clear", handler });

const told = async (args: unknown, builder = users()) => textOf(await builder.execute(undefined, args));

describe("an error hints at the right call:", () => {
  test("F51: the only action that takes these fields", async () => {
    expect(await told({ email: "a@b.example" })).toBe(
      "action is required. Available: list, create, clear\n" +
        'Did you mean "create"? "create" takes: email (required), displayName.',
    );
  });

  test.each<readonly [string, Record<string, unknown>]>([
    ["nothing was sent", {}],
    ["no action takes these fields", { colour: "red" }],
    ["fields of two actions were sent", { email: "a", limit: 1 }],
    ["a required field is missing", { displayName: "Ann" }],
  ])("F51: no guess if %s", async (_what, args) => {
    expect(await told(args)).toBe(
      'action is required. Available: list, create, clear\nSet "action" to one of them.',
    );
  });

  test("F51: no guess if two actions match", async () => {
    const schema = z.object({ id: z.string() });
    const builder = createTool("t")
      .discriminator("operation")
      .action({ name: "get", schema, handler })
      .action({ name: "drop", schema, handler });
    expect(await told({ id: "1" }, builder)).toBe(
      'operation is required. Available: get, drop\nSet "operation" to one of them.',
    );
  });

  test("F52: the closest action, with its fields", async () => {
    expect(await told({ action: "crate" })).toBe(
      "Unknown action. Available: list, create, clear\n" +
        'Did you mean "create"? "create" takes: email (required), displayName.',
    );
    expect(await told({ action: "claer" })).toBe(
      'Unknown action. Available: list, create, clear\nDid you mean "clear"? "clear" takes no fields.',
    );
  });

  test("F52: no hint if no action is close", async () => {
    expect(await told({ action: "transmogrify" })).toBe("Unknown action. Available: list, create, clear");
    expect(await told({ action: 7 })).toBe("Unknown action. Available: list, create, clear");
  });

  test("F52: the value that was sent is not repeated", async () => {
    expect(await told({ action: "<script>" })).not.toContain("script");
  });

  test("F54: the action's fields, and the correct name of a misspelled field", async () => {
    expect(await told({ action: "create", emial: "a" })).toBe(
      "Validation failed: email: Invalid input: expected string, received undefined\n" +
        'Did you mean "email" instead of "emial"? "create" takes: email (required), displayName.',
    );
    expect(await told({ action: "list", limit: "x" })).toBe(
      'Validation failed: limit: Invalid input: expected number, received string\n"list" takes: limit.',
    );
  });

  test("F54: a field that was sent correctly is not suggested for a different one", async () => {
    expect(await told({ action: "create", email: 1, emial: "a" })).toBe(
      "Validation failed: email: Invalid input: expected string, received number\n" +
        '"create" takes: email (required), displayName.',
    );
  });

  test("F54: an action's fields include common fields", async () => {
    const builder = createTool("t")
      .commonSchema(z.object({ tenant: z.string(), id: z.string().optional() }))
      .action({ name: "get", schema: z.object({ id: z.string(), deep: z.boolean().optional() }), handler });
    expect((await told({ action: "get", id: "1" }, builder)).split("\n")[1]).toBe(
      '"get" takes: tenant (required), id (required), deep.',
    );
  });
});

describe("errors stay bounded", () => {
  const many = createTool("big");
  for (let index = 0; index < 5_000; index++) {
    many.action({ name: `operation_${index}`, schema: z.object({ id: z.string() }), handler });
  }
  const names = Array.from({ length: 200 }, (_, index) => `field_number_${index}`);
  const wide = createTool("wide").action({
    name: "a",
    schema: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))),
    handler,
  });

  test("F51, F52: with thousands of actions", async () => {
    for (const args of [{}, { id: "1" }, { action: "operation" }, { action: "x".repeat(1_000_000) }]) {
      const text = await told(args, many);
      expect(text.length).toBeLessThan(5_200);
      expect(text.split("\n")[0]).toMatch(/operation_0, .+ and \d{4} more$/);
    }
  });

  test("F54: with hundreds of fields, issues, and unusual names", async () => {
    const strange = Object.fromEntries(names.map((name) => [`${name}${"!".repeat(500)}`, 1]));
    const misspelt = Object.fromEntries(names.map((name) => [name.replace("number", "nubmer"), 1]));
    for (const args of [{}, strange, misspelt]) {
      const text = await told({ action: "a", ...args }, wide);
      expect(text.length).toBeLessThan(8_000);
      expect(text).toContain("and 180 more");
    }
  });
});

describe("the closest name", () => {
  test.each([
    ["crate", "create"],
    ["CREATE", "create"],
    ["cerate", "create"],
    ["delte", "delete"],
    ["users.lst", "users.list"],
    ["", undefined],
    ["x", undefined],
    ["completely different", undefined],
  ])("of %j is %j", (name, expected) => {
    expect(closestName(name, ["create", "delete", "users.list", "a"])).toBe(expected);
  });

  /** The textbook algorithm, without limits or shortcuts. */
  function distance(from: string, to: string): number {
    const rows = Array.from({ length: from.length + 1 }, () => Array<number>(to.length + 1).fill(0));
    const at = (row: number, column: number) => rows[row]?.[column] ?? Infinity;
    rows.forEach((row, r) =>
      row.forEach((_, c) => {
        if (r === 0 || c === 0) return void (row[c] = r + c);
        const changed = at(r - 1, c - 1) + (from[r - 1] === to[c - 1] ? 0 : 1);
        const swapped = r > 1 && c > 1 && from[r - 1] === to[c - 2] && from[r - 2] === to[c - 1];
        row[c] = Math.min(
          at(r - 1, c) + 1,
          at(r, c - 1) + 1,
          changed,
          swapped ? at(r - 2, c - 2) + 1 : Infinity,
        );
      }),
    );
    return at(from.length, to.length);
  }

  test("is the one with the fewest edits, if they are few", () => {
    const word = fc.stringMatching(/^[abc]{0,9}$/);
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 6 }), (name, candidates) => {
        const limit = Math.max(2, Math.floor(name.length / 3));
        const near = candidates
          .map((candidate) => ({ candidate, steps: distance(name, candidate) }))
          .filter(({ candidate, steps }) => steps <= limit && steps < candidate.length);
        const best = Math.min(...near.map(({ steps }) => steps));
        expect(closestName(name, candidates)).toBe(near.find(({ steps }) => steps === best)?.candidate);
      }),
      { numRuns: 2_000 },
    );
  });
});
