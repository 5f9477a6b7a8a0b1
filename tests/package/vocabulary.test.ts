import { describe, expect, test } from "vitest";
import { findHomonyms, readPublicApi } from "../../tools/metrics/public-api.js";

/** Names that the design documents use with two meanings. */
const FORCED: Readonly<Record<string, string>> = {
  Tool: "R6 means the core's JSON-defined tool, F4 the domain model's class",
  Resource: "R6 means the core's JSON-defined resource, F6 the domain model's class",
  Server: "R6 means the core's server, code for the official SDK its low-level class",
  ToolRegistry: "F17 means the registry of grouped tools, A12 the agent's registry",
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

  test("a name has one meaning across all packages, except for names that the documents define twice", () => {
    // `@tenon/sdk/v2` has the names of the official SDK, version 2. A program imports either it or `@tenon/sdk`.
    const own = api.filter(({ entry }) => entry !== "@tenon/sdk/v2");
    expect([...findHomonyms(own).keys()].toSorted()).toEqual(Object.keys(FORCED).toSorted());
  });
});
