import { describe, expect, test } from "vitest";
import { z } from "zod";
import { checkOutputNaming } from "../../src/index.js";
import { SAMPLES } from "../support/document-samples.js";

/** `checkOutputNaming` reported the document's own samples, because branches with `select` or `shape` have no `type`. */

const Message = z.object({ id: z.string() });
const Cell = z.union([z.string(), z.number()]);

/** Schemas that the samples refer to. */
const SCOPE = {
  z,
  MessageSchema: Message,
  FileSchema: Message,
  FolderSchema: Message,
  EmailDetailSchema: Message,
  ItemSchema: Message,
  CellSchema: Cell,
  CellMatchSchema: z.object({ row: z.number(), column: z.number(), value: Cell }),
};

/** Evaluates a sample, and returns the schemas that it declares. */
function schemasOf(code: string): readonly z.ZodType[] {
  const names = [...code.matchAll(/^const (\w+) =/gm)].map(([, name]) => name);
  const body = `${code}\nreturn [${names.join()}];`;
  // oxlint-disable-next-line typescript/no-implied-eval -- the samples are constants in this repository
  return new Function(...Object.keys(SCOPE), body)(...Object.values(SCOPE)) as readonly z.ZodType[];
}

const correct = (sample: string) => sample.split("// WRONG")[0] ?? "";
const wrong = (sample: string) => sample.split("// WRONG")[1]?.replace(/^.*$/m, "") ?? "";

/** Tool names from the document's table, by property. `values` is not in the table. */
const TOOLS = {
  items: ["message-search", "files-search", "message-list"],
  item: ["message-get", "file-get"],
  columns: ["columns-get", "csv-get-columns"],
  rows: ["rows-get", "rows-append"],
  values: ["cells-find", "cells-search", "values-get"],
  shape: ["message-search", "contact-list"],
} as const;

describe("first-run-d4: checkOutputNaming and the samples of document 003", () => {
  const cases = Object.entries(TOOLS).flatMap(([key, names]) =>
    names.map((name) => [key as keyof typeof TOOLS, name] as const),
  );

  test.each(cases)("accepts the correct sample of %s in the tool %s", (key, name) => {
    const schemas = schemasOf(correct(SAMPLES[key]));
    expect(schemas.length).toBeGreaterThan(0);
    for (const outputSchema of schemas) expect(checkOutputNaming({ name, outputSchema })).toEqual([]);
    const [first, second] = schemas;
    if (first !== undefined && second !== undefined)
      expect(checkOutputNaming({ name, outputSchema: z.union([first, second]) })).toEqual([]);
  });

  test.each([
    ["items", "message-search", ["items", "items", "items"]],
    ["item", "message-get", ["item"]],
    ["columns", "columns-get", ["columns"]],
    ["rows", "rows-get", ["values"]],
  ] as const)("still finds the wrong sample of %s", (key, name, rules) => {
    const [outputSchema] = schemasOf(wrong(SAMPLES[key]));
    expect(checkOutputNaming({ name, outputSchema }).map(({ rule }) => rule)).toEqual(rules);
  });

  test("still requires type: success where neither select nor shape tells the branches apart", () => {
    const found = (outputSchema: z.ZodType) =>
      checkOutputNaming({ name: "message-list", outputSchema }).map(({ rule }) => rule);
    expect(found(z.object({ items: z.array(Message) }))).toEqual(["success-type"]);
    expect(found(z.object({ shape: z.string(), items: z.array(Message) }))).toEqual(["success-type"]);
    expect(
      found(z.object({ type: z.literal("ok"), shape: z.literal("objects"), items: z.array(Message) })),
    ).toEqual(["success-type"]);
  });
});
