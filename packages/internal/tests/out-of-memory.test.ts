import { expect, test } from "vitest";
import { reportFailure } from "../src/command-line/run-in-process.js";
import { isOutOfMemory } from "../src/thrown.js";

const WASM = "WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory for new instance";

test.each([
  [new RangeError("Array buffer allocation failed"), true],
  [new RangeError(WASM), true],
  [new RangeError("Invalid array length"), false],
  [new Error("Array buffer allocation failed"), false],
  [undefined, false],
])("%s is an error of a missing memory: %s", (error, expected) => {
  expect(isOutOfMemory(error)).toBe(expected);
});

test("a command that lacks memory says so, and is not a bug", () => {
  let text = "";
  const stderr = { write: (piece: string) => ((text += piece), true) };
  const terminal = { stderr, env: {} } as unknown as Parameters<typeof reportFailure>[1];
  expect(reportFailure(new RangeError("Array buffer allocation failed"), terminal).code).toBe(1);
  expect(text).toBe(
    "Not enough memory: Array buffer allocation failed. Raise the memory limit of the process or its container.\n",
  );
});
