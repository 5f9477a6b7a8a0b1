import { describe, expect, test } from "vitest";
import { readCode } from "../tools/metrics/code.js";
import { findIdenticalLines } from "../tools/metrics/identical-lines.js";
import { listExceeded, readLimits } from "../tools/metrics/limits.js";
import type { Figures } from "../tools/metrics/measure.js";
import { createMirrorCheck, parseNames } from "../tools/metrics/mirrored-names.js";
import { readEntryPoints } from "../tools/metrics/public-api.js";
import { PACKAGE_FOLDERS } from "../tools/source-files.js";

const codeOf = (text: string) => readCode("file.ts", text);
const file = (path: string, ...texts: readonly string[]) => ({ path, ...codeOf(`${texts.join("\n")}\n`) });
const SIX = ["one();", "two();", "three();", "four();", "five();", "six();"];

describe("lines of code", () => {
  test("contain neither blank lines nor comments", () => {
    const { lines } = codeOf('/** Doc. */\n\nconst url = "http://x"; // end\n/*\n * more\n */ call();\n');
    expect(lines.map(({ text, line }) => [line, text])).toEqual([
      [3, 'const url = "http://x";'],
      [6, "call();"],
    ]);
  });

  test("belong to an import from its first to its last line", () => {
    const { lines } = codeOf('import {\n  a,\n} from "a";\nexport { b } from "b";\nexport const c = a;\n');
    expect(lines.map(({ isImport }) => isImport)).toEqual([true, true, true, true, false]);
  });
});

describe("functions", () => {
  test("have their lines and parameters, and overloads do not count", () => {
    const text =
      "function f(a: string): void;\nfunction f(a: unknown, b = 1) {\n  return [a, b];\n}\nconst g = () => 1;\n";
    expect(codeOf(text).functions).toEqual([
      { line: 2, lines: 3, parameters: 2 },
      { line: 5, lines: 1, parameters: 0 },
    ]);
  });
});

describe("identical lines", () => {
  test("are found in two files, with different comments and punctuation between them", () => {
    const pairs = findIdenticalLines([
      file("a.ts", "start();", ...SIX, "a();"),
      file("b.ts", "// comment", ...SIX.slice(0, 3), "{", "", "// comment", "}", ...SIX.slice(3), "b();"),
    ]);
    expect(pairs).toEqual([
      [
        { path: "a.ts", first: 2, last: 7 },
        { path: "b.ts", first: 2, last: 11 },
      ],
    ]);
  });

  test("are reported once, as long as possible", () => {
    const [pair, ...others] = findIdenticalLines([
      file("a.ts", ...SIX, "seven();", "eight();"),
      file("b.ts", ...SIX, "seven();", "eight();"),
    ]);
    expect(pair?.map(({ last }) => last)).toEqual([8, 8]);
    expect(others).toEqual([]);
  });

  test("are found twice in the same file, but do not overlap", () => {
    expect(findIdenticalLines([file("a.ts", ...SIX, "other();", ...SIX)])).toHaveLength(1);
    expect(findIdenticalLines([file("a.ts", ...Array.from({ length: 8 }, () => "same();"))])).toEqual([]);
  });

  test.each([
    ["five lines", SIX.slice(1), SIX.slice(1)],
    ["imports", SIX.map((_, index) => `import ${index} from "a";`.replace(/ (\d)/, " a$1")), undefined],
  ])("are not %s", (_what, lines, others = lines) => {
    expect(findIdenticalLines([file("a.ts", ...lines), file("b.ts", ...others)])).toEqual([]);
  });
});

describe("limits", () => {
  const limits: Figures = {
    code: { tenon: 10 },
    entries: 1,
    values: 1,
    types: 1,
    names: { tenon: { values: 1, types: 1 } },
    homonyms: 0,
    identicalPairs: 0,
    longFunctions: 0,
    longFiles: 0,
  };

  test("are not exceeded by the same figures", () => {
    expect(listExceeded(limits, limits)).toEqual([]);
  });

  test("are compared with every figure, and a new package or entry point has none", () => {
    const names = { tenon: { values: 1, types: 2 }, "tenon/new": { values: 1, types: 0 } };
    const figures = { ...limits, code: { tenon: 12, other: 3 }, values: 4, names };
    expect(listExceeded(figures, limits)).toEqual([
      "Lines of code in packages/tenon: 12, which exceeds the limit 10 by 2.",
      "Lines of code in packages/other: 3, which exceeds the limit 0 by 3.",
      "Exported types of tenon: 2, which exceeds the limit 1 by 1.",
      "Exported values of tenon/new: 1, which exceeds the limit 0 by 1.",
      "Exported values: 4, which exceeds the limit 1 by 3.",
    ]);
  });

  test("exist for every package and every entry point", () => {
    expect(Object.keys(readLimits().code)).toEqual(PACKAGE_FOLDERS);
    expect(Object.keys(readLimits().names)).toEqual([...readEntryPoints().keys()].toSorted());
  });

  test("keep the public API small: entry points, values, types, and the values of tenon", () => {
    const { entries, values, types, names } = readLimits();
    expect(entries).toBeLessThanOrEqual(25);
    expect(values).toBeLessThanOrEqual(250);
    expect(types).toBeLessThanOrEqual(550);
    expect(names["tenon"]?.values).toBeLessThanOrEqual(30);
  });
});

describe("names that @tenon/sdk mirrors", () => {
  test("are read from declarations and from lists", () => {
    const text =
      'export declare class A {}\nexport type B = 1;\nexport { c as C, type D, E };\nimport F from "f";\n';
    expect(parseNames(text)).toEqual(["A", "B", "C", "D", "E"]);
  });

  test.each([
    ["@tenon/sdk", "McpServer", true],
    ["@tenon/sdk", "completable", true],
    ["@tenon/sdk", "connect", false],
    ["@tenon/sdk/v2", "createMcpHandler", true],
    ["@tenon/sdk/v2", "StdioServerTransport", true],
    ["tenon", "McpError", false],
  ])("%s: %s is mirrored: %s", (entry, name, isMirrored) => {
    expect(createMirrorCheck()({ entry, name, kind: "value", declaredIn: "" })).toBe(isMirrored);
  });
});
