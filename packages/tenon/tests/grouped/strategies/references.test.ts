import { describe, expect, test } from "vitest";
import { joinDefinitions } from "../../../src/grouped/strategies/references.js";
import type { JsonObject } from "@tenon/internal/json";

/** Creates a schema with one definition of this name, marked to identify it. */
const referring = (name: string, mark: string): JsonObject => ({
  type: "object",
  properties: { it: { $ref: `#/$defs/${name}` } },
  $defs: { [name]: { title: mark } },
});

/** Returns the joined definitions' markers, and the marker that each schema refers to. */
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
      "equal definitions are shared",
      [
        ["N", "a"],
        ["N", "a"],
      ],
      ["N"],
    ],
    [
      "different definitions are numbered",
      [
        ["N", "a"],
        ["N", "b"],
        ["N", "c"],
      ],
      ["N", "N_2", "N_3"],
    ],
    [
      "an equal definition is reused",
      [
        ["N", "a"],
        ["N", "b"],
        ["N", "a"],
        ["N", "b"],
      ],
      ["N", "N_2"],
    ],
    [
      "a number that is taken is skipped",
      [
        ["N_2", "a"],
        ["N", "b"],
        ["N", "c"],
      ],
      ["N_2", "N", "N_3"],
    ],
    [
      "a number that was assigned is taken",
      [
        ["N", "a"],
        ["N", "b"],
        ["N_2", "c"],
      ],
      ["N", "N_2", "N_2_2"],
    ],
    [
      "a name that objects inherit is valid",
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
