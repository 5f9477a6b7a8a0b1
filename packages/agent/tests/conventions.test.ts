import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import * as agent from "../src/index.js";
import type { ToolParam, ToolParamMeta } from "../src/index.js";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const PARTS = ["config", "tool-registry", "message-registry", "builder"];

test("A40: each part has example tests and property tests, and serialization has property tests", () => {
  const wanted = [
    ...PARTS.flatMap((part) => [`${part}.test.ts`, `${part}.property.test.ts`]),
    "serialization.property.test.ts",
  ];
  expect(wanted.filter((file) => !existsSync(`${FOLDER}${file}`))).toEqual([]);
});

test("A39, A41: each of the 13 properties has its heading and at least 100 runs", () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".property.test.ts"))
    .map((file) => ({ file, text: readFileSync(`${FOLDER}${file}`, "utf8") }));
  const heading =
    /\*\*Feature: server-sdk, Property (\d+): [^*]+\*\*\n\s+\* \*\*Validates: Requirements [\d., ]+\*\*/g;
  const numbers = files.flatMap(({ text }) =>
    [...text.matchAll(heading)].map(([, number]) => Number(number)),
  );
  expect(Array.from({ length: 13 }, (_, index) => index + 1).filter((one) => !numbers.includes(one))).toEqual(
    [],
  );
  for (const { file, text } of files) {
    const runs = [...text.matchAll(/numRuns: ([\d_]+)/g)].map(([, count = ""]) =>
      Number(count.replaceAll("_", "")),
    );
    // A property without an explicit number runs 100 times.
    expect([file, Math.min(...runs) >= 100]).toEqual([file, true]);
  }
});

test("A43: the entry point exports the required names, and both parameter names are the same type", () => {
  const named = [
    "AmigoServerBuilder",
    "defineTool",
    "defineMessage",
    "ToolRegistry",
    "MessageRegistry",
    "RegistrationError",
    "ValidationError",
  ];
  expect(named.filter((name) => !(name in agent))).toEqual([]);
  const param: ToolParamMeta = { name: "query", description: "What to look for", optional: false };
  expect(param satisfies ToolParam).toBe(param);
});
