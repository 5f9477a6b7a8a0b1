import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer } from "tenon";
import { isJsonObject } from "@tenon/internal/json";
import { outputVocabulary, toErrorBranch } from "../src/index.js";
import { createClient } from "tenon/testing";
import { readSourceFiles } from "../../../tools/source-files.js";

const {
  authOutput,
  branchedOutput,
  columnsOutput,
  errorOutput,
  itemOutput,
  itemsOutput,
  pagination,
  rowsOutput,
  selectInput,
  shapedOutput,
  shapeInput,
  valuesOutput,
} = outputVocabulary(z);
const Message = z.object({ id: z.string() });
const Match = z.object({ cell: z.string(), value: z.string() });
const success = { type: "success" };

/** Schemas with accepted and rejected values. */
const CASES: Readonly<Record<string, [schema: z.ZodType, good: unknown[], bad: unknown[]]>> = {
  "Z26: itemsOutput": [
    itemsOutput(Message),
    [
      { ...success, items: [{ id: "1" }] },
      { ...success, items: [], nextPageToken: "t", hint: "h" },
    ],
    [
      { ...success, messages: [] },
      { items: [] },
      { ...success, items: [{ id: 1 }] },
      { type: "ok", items: [] },
    ],
  ],
  "Z26: itemOutput": [
    itemOutput(Message),
    [{ ...success, item: { id: "1" } }],
    [{ ...success, id: "1" }, { item: { id: "1" } }],
  ],
  "Z26: columnsOutput": [
    columnsOutput(),
    [{ ...success, columns: ["a", "b"] }],
    [
      { ...success, headers: ["a"] },
      { ...success, columns: [1] },
    ],
  ],
  "Z26: rowsOutput": [
    rowsOutput(),
    [{ ...success, rows: [["a", 1, true, null], []] }],
    [
      { ...success, rows: ["a"] },
      { ...success, rows: [[{}]] },
      { ...success, values: [[]] },
    ],
  ],
  "Z26: rowsOutput with custom cells": [
    rowsOutput(z.number()),
    [{ ...success, rows: [[1]] }],
    [{ ...success, rows: [["a"]] }],
  ],
  "Z28: valuesOutput": [
    valuesOutput(Match),
    [
      { ...success, select: "cells", values: [{ cell: "A1", value: "x" }] },
      { ...success, select: "rows", values: [["a", 1]] },
      { ...success, select: "columns", values: [[null]] },
    ],
    [
      { ...success, values: [] },
      { ...success, select: "sheets", values: [] },
      { ...success, select: "rows", values: [{ cell: "A1", value: "x" }] },
    ],
  ],
  "Z29: shapedOutput": [
    shapedOutput(Message),
    [
      { ...success, shape: "objects", items: [{ id: "1" }] },
      { ...success, shape: "arrays", columns: ["id"], rows: [["1"]], nextPageToken: "t" },
    ],
    [
      { ...success, items: [] },
      { ...success, shape: "objects", columns: [], rows: [] },
      { ...success, shape: "arrays", items: [] },
    ],
  ],
  "Z20: errorOutput": [
    errorOutput(),
    [toErrorBranch(new Error("x")), { type: "error", error: "x", code: "C", help: "h" }],
    [{ type: "error" }, { type: "success", error: "x" }],
  ],
  "Z25: authOutput": [
    authOutput(),
    [{ type: "auth_required", authUrl: "https://a.example", message: "m" }],
    [{ type: "auth_required", url: "https://a.example", message: "m" }],
  ],
  "Z27: branchedOutput": [
    branchedOutput(shapedOutput(Message)),
    [
      { ...success, shape: "objects", items: [] },
      { type: "error", error: "x" },
      { type: "auth_required", authUrl: "https://a.example", message: "m" },
    ],
    [{ type: "other" }, { ...success, shape: "objects" }],
  ],
};

describe.each(Object.entries(CASES))("%s", (_, [schema, good, bad]) => {
  test.each(good)("accepts %j", (value) => {
    expect(schema.parse(value)).toEqual(value);
  });

  test.each(bad)("rejects %j", (value) => {
    expect(schema.safeParse(value).success).toBe(false);
  });

  test("is an object schema for clients", () => {
    expect(z.toJSONSchema(schema)["type"]).toBe("object");
  });
});

describe("Z27: pages", () => {
  test("the token is optional in results and arguments", () => {
    const input = z.object(pagination.input);
    expect([input.parse({}), input.parse({ pageToken: "t" })]).toEqual([{}, { pageToken: "t" }]);
    expect(input.safeParse({ pageToken: "t".repeat(501) }).success).toBe(false);
    expect(Object.keys(pagination.output)).toEqual(["nextPageToken", "hint"]);
    expect(z.toJSONSchema(itemsOutput(Message)).required).toEqual(["type", "items"]);
  });
});

test("Z29: objects are the default shape", () => {
  expect(shapeInput().parse(undefined)).toBe("objects");
  expect(shapeInput().safeParse("table").success).toBe(false);
});

test("Z28: `select` has no default", () => {
  expect(selectInput().options).toEqual(["cells", "rows", "columns"]);
  expect(selectInput().safeParse(undefined).success).toBe(false);
});

test("a schema can be extended with additional fields", () => {
  const extended = rowsOutput().extend({ range: z.string() });
  expect(extended.parse({ ...success, rows: [], range: "A1:B2" })).toEqual({
    ...success,
    rows: [],
    range: "A1:B2",
  });
});

test("sends a result with multiple branches unchanged in every revision", async () => {
  const server = defineServer({ name: "mail", version: "1.0.0" }).tool("message-list", {
    output: branchedOutput(itemsOutput(Message)),
    handler: () => toErrorBranch(new Error("mailbox locked")),
  });
  for (const revision of ["2025-06-18", "2026-07-28"] as const) {
    const client = await createClient(server, { revision });
    const { structuredContent } = await client.callTool("message-list", {});
    expect(structuredContent).toEqual({ type: "error", error: "mailbox locked" });
    const [tool] = await client.listTools();
    expect(isJsonObject(tool?.outputSchema) && tool.outputSchema["type"]).toBe("object");
    await client.close();
  }
});

test("zod is passed in: the kit does not load it", () => {
  const loading = readSourceFiles()
    .filter(({ path }) => path.startsWith("kit/"))
    .filter(({ text }) => /^import (?!type\b).*["']zod["']/m.test(text));
  expect(loading.map(({ path }) => path)).toEqual([]);
});
