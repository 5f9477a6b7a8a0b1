import { describe, expect, test } from "vitest";
import { joinDefinitions } from "../../../src/grouped/strategies/references.js";
import type { JsonObject } from "@tenon/internal/json";

/** A schema with one definition of this name, which says which one it is. */
const referring = (name: string, mark: string): JsonObject => ({
  type: "object",
  properties: { it: { $ref: `#/$defs/${name}` } },
  $defs: { [name]: { title: mark } },
});

/** The marks of the definitions that schemas end up with, and which one each schema refers to. */
function join(...schemas: readonly JsonObject[]) {
  const joined = joinDefinitions(schemas.map((schema, index) => ({ owner: `owner${index}`, schema })));
  const definitions = joined.definitions as Readonly<Record<string, { readonly title?: string }>>;
  return {
    names: Object.keys(definitions),
    meant: joined.schemas.map((schema) => {
      const { it } = schema["properties"] as { readonly it: { readonly $ref: string } };
      return definitions[it.$ref.replace("#/$defs/", "")]?.title;
    }),
  };
}

describe("definitions of several schemas under one root", () => {
  test.each<readonly [string, readonly (readonly [string, string])[], readonly string[]]>([
    [
      "equal ones are one",
      [
        ["N", "a"],
        ["N", "a"],
      ],
      ["N"],
    ],
    [
      "others are numbered",
      [
        ["N", "a"],
        ["N", "b"],
        ["N", "c"],
      ],
      ["N", "N_2", "N_3"],
    ],
    [
      "an equal one is found again",
      [
        ["N", "a"],
        ["N", "b"],
        ["N", "a"],
        ["N", "b"],
      ],
      ["N", "N_2"],
    ],
    [
      "a number that is taken is left out",
      [
        ["N_2", "a"],
        ["N", "b"],
        ["N", "c"],
      ],
      ["N_2", "N", "N_3"],
    ],
    [
      "a number that was given is taken",
      [
        ["N", "a"],
        ["N", "b"],
        ["N_2", "c"],
      ],
      ["N", "N_2", "N_2_2"],
    ],
    [
      "a name that objects inherit is one",
      [
        ["constructor", "a"],
        ["constructor", "b"],
      ],
      ["constructor", "constructor_2"],
    ],
  ])("%s", (_what, given, names) => {
    const joined = join(...given.map(([name, mark]) => referring(name, mark)));
    expect(joined).toEqual({ names, meant: given.map(([, mark]) => mark) });
  });
});
