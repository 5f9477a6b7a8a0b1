import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { outputVocabulary } from "../../src/index.js";

const vocabulary = outputVocabulary(z);
const Item = z.object({ id: z.string() });
type Item = z.infer<typeof Item>;
type Cell = string | number | boolean | null;

describe("Z26: output schemas infer their results", () => {
  test("items and item", () => {
    const items = vocabulary.itemsOutput(Item);
    const item = vocabulary.itemOutput(Item);
    expectTypeOf<z.infer<typeof items>>().toEqualTypeOf<{
      type: "success";
      items: Item[];
      nextPageToken?: string | undefined;
      hint?: string | undefined;
    }>();
    expectTypeOf<z.infer<typeof item>>().toEqualTypeOf<{ type: "success"; item: Item }>();
  });

  test("rows have cells of the default type or the given type", () => {
    const rows = vocabulary.rowsOutput();
    const numbers = vocabulary.rowsOutput(z.number());
    expectTypeOf<z.infer<typeof rows>["rows"]>().toEqualTypeOf<Cell[][]>();
    expectTypeOf<z.infer<typeof numbers>["rows"]>().toEqualTypeOf<number[][]>();
    expectTypeOf<z.infer<ReturnType<typeof vocabulary.columnsOutput>>["columns"]>().toEqualTypeOf<string[]>();
  });

  test("values are discriminated by `select`", () => {
    const values = vocabulary.valuesOutput(Item, z.number());
    type Values = z.infer<typeof values>;
    expectTypeOf<Values["select"]>().toEqualTypeOf<"cells" | "rows" | "columns">();
    expectTypeOf<Extract<Values, { select: "cells" }>["values"]>().toEqualTypeOf<Item[]>();
    expectTypeOf<Extract<Values, { select: "rows" }>["values"]>().toEqualTypeOf<number[][]>();
  });

  test("shapes are discriminated by `shape`", () => {
    const shaped = vocabulary.shapedOutput(Item);
    type Shaped = z.infer<typeof shaped>;
    expectTypeOf<Extract<Shaped, { shape: "objects" }>["items"]>().toEqualTypeOf<Item[]>();
    expectTypeOf<Extract<Shaped, { shape: "arrays" }>["rows"]>().toEqualTypeOf<Cell[][]>();
  });

  test("branches are discriminated by `type`", () => {
    const branched = vocabulary.branchedOutput(vocabulary.itemOutput(Item));
    type Branched = z.infer<typeof branched>;
    expectTypeOf<Branched["type"]>().toEqualTypeOf<"success" | "error" | "auth_required">();
    expectTypeOf<Extract<Branched, { type: "success" }>["item"]>().toEqualTypeOf<Item>();
    expectTypeOf<Extract<Branched, { type: "auth_required" }>["authUrl"]>().toEqualTypeOf<string>();
  });
});
