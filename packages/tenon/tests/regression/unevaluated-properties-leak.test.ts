import { describe, expect, test } from "vitest";
import { loadJsonSchema } from "../../src/schema/json-schema/index.js";
import { NO_CODE_GENERATION, runForJson } from "../../../../tests/support/run-module.js";

const SCHEMA = { unevaluatedProperties: { type: "number" } };
const VALUES = [{ z: 1 }, { z: "s" }, { z: 2 }, { z: "t" }];
const ISSUES = [{ path: ["z"], message: "is not allowed" }];
const RESULTS = [{ value: { z: 1 } }, { issues: ISSUES }, { value: { z: 2 } }, { issues: ISSUES }];

describe("a property that was evaluated in one value does not count as evaluated in the next", () => {
  test("if the check is compiled to code", async () => {
    const check = (await loadJsonSchema())(SCHEMA);
    expect(VALUES.map(check)).toEqual(RESULTS);
  });

  test("if code generation is forbidden", () => {
    const script = `
      import { loadJsonSchema } from "tenon/json-schema";
      const check = (await loadJsonSchema())(${JSON.stringify(SCHEMA)});
      console.log(JSON.stringify(${JSON.stringify(VALUES)}.map((value) => check(value))));
    `;
    expect(runForJson(script, [NO_CODE_GENERATION])).toEqual(RESULTS);
  });
});

// If this fails, typebox has fixed the bug, and `fastCheck` no longer needs to refuse the interpreter.
test("typebox's own compiled check still keeps that state if code generation is forbidden", () => {
  const script = `
    import { Compile } from "typebox/schema";
    const validator = Compile(${JSON.stringify(SCHEMA)});
    console.log(JSON.stringify(${JSON.stringify(VALUES)}.map((value) => validator.Check(value))));
  `;
  expect(runForJson(script, [NO_CODE_GENERATION])).toEqual([true, true, true, true]);
});
