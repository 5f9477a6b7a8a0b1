import { describe, expect, test } from "vitest";
import { findHomonyms, readPublicApi } from "../support/public-api.js";

/** Names that two design documents use for different things. */
const FORCED: Readonly<Record<string, string>> = {
  Tool: "R6 names the JSON-defined tool of the core, F4 the class of the domain model",
  Resource: "R6 names the JSON-defined resource of the core, F6 the class of the domain model",
  ToolRegistry: "F17 names the registry of grouped tools, A12 the one of the agent",
};

const api = readPublicApi();

describe("public names", () => {
  test("every entry point is read", () => {
    expect(api.length).toBeGreaterThan(500);
    expect(api.find(({ name }) => name === "defineServer")).toEqual({
      entry: "tenon",
      name: "defineServer",
      kind: "value",
      declaredIn: expect.stringMatching(/^tenon\/src\/core\//) as string,
    });
  });

  test("a name has one meaning across all packages, except those that the documents define twice", () => {
    expect([...findHomonyms(api).keys()].toSorted()).toEqual(Object.keys(FORCED).toSorted());
  });

  test("an entry point exports at most 40 values, the root of tenon at most 25", () => {
    const counts = new Map<string, number>();
    for (const { entry, kind } of api) {
      if (kind === "value") counts.set(entry, (counts.get(entry) ?? 0) + 1);
    }
    const tooMany = [...counts].filter(([entry, count]) => count > (entry === "tenon" ? 25 : 40));
    expect(tooMany).toEqual([]);
  });
});
