import { describe, expect, test } from "vitest";
import { withConstants } from "../../src/dev/build/own-sources.js";
import { RestartLimit } from "../../src/dev/generation/restart-limit.js";
import { compareLists } from "../../src/dev/lists/list-changes.js";
import { OutputLines } from "../../src/dev/log/output-lines.js";
import {
  findPlaces,
  fromBuildError,
  fromThrown,
  renderFrame,
  summarize,
} from "../../src/dev/log/problems.js";
import { toThrownFacts } from "../../src/dev/messages/messages.js";

describe("compareLists", () => {
  const tool = (name: string, description = "") => ({ name, description });

  test("finds new, changed, and removed definitions", () => {
    const before = {
      tools: [tool("a"), tool("b")],
      resources: [{ uri: "x:1" }],
      resourceTemplates: [{ uriTemplate: "x:{a}" }],
    };
    const after = {
      tools: [tool("a", "new"), tool("c")],
      resources: [{ uri: "x:1" }],
      prompts: [{ name: "p" }],
    };
    const { kinds, definitions } = compareLists(before, after);
    expect(kinds).toEqual(["tools", "resources", "prompts"]);
    expect(definitions.map(({ sign, noun, name }) => `${sign} ${noun} ${name}`)).toEqual([
      "+ tool c",
      "~ tool a",
      "- tool b",
      "- resource template x:{a}",
      "+ prompt p",
    ]);
  });

  test("finds a different order, and nothing in equal lists", () => {
    const lists = { tools: [tool("a"), tool("b")] };
    expect(compareLists(lists, { tools: [tool("b"), tool("a")] })).toEqual({
      kinds: ["tools"],
      definitions: [],
    });
    expect(compareLists(lists, { tools: [tool("a"), tool("b")], prompts: [] })).toEqual({
      kinds: [],
      definitions: [],
    });
  });
});

describe("renderFrame", () => {
  test("marks the place, and replaces tabs and control characters", () => {
    expect(renderFrame("a\n\tb\u001b[31m(c);\nd", { line: 2, column: 7, length: 2 })).toEqual([
      "  1 | a",
      "> 2 |   b[31m(c);",
      "    |       ^^",
      "  3 | d",
    ]);
  });

  test("shows two lines before and after, and at least one mark", () => {
    const source = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join("\n");
    expect(renderFrame(source, { line: 10, column: 99 })).toEqual([
      "   8 | line 8",
      "   9 | line 9",
      "> 10 | line 10",
      "     |        ^",
      "  11 | line 11",
      "  12 | line 12",
    ]);
  });

  test("moves a place far to the right into view", () => {
    const source = `short\n${"x".repeat(200)}!${"y".repeat(200)}`;
    expect(renderFrame(source, { line: 2, column: 201 })).toEqual([
      "  1 |",
      `> 2 | ${"x".repeat(60)}!${"y".repeat(59)}`,
      `    | ${" ".repeat(60)}^`,
    ]);
  });

  test("is empty for a line that does not exist", () => {
    expect(renderFrame("a", { line: 2, column: 1 })).toEqual([]);
  });
});

describe("findPlaces", () => {
  test("returns only places in the user's files", () => {
    const stack = [
      "Error: at /code/a.ts:9:9",
      "    at check (/code/a.ts:1:2)",
      "    at async file:///code/b%20c.ts:3:4",
      "    at Object.<anonymous> (/code/node_modules/x/index.js:5:6)",
      "    at node:internal/process:7:8",
      "    at new Thing (file:///code/a.ts:10:20)",
    ].join("\n");
    expect(findPlaces(stack, new Set(["/code/a.ts", "/code/b c.ts"]))).toEqual([
      { file: "/code/a.ts", line: 1, column: 2 },
      { file: "/code/b c.ts", line: 3, column: 4 },
      { file: "/code/a.ts", line: 10, column: 20 },
    ]);
  });
});

describe("problems", () => {
  test("count columns of build errors in characters, not in bytes", () => {
    const lineText = "const ü = 💥;";
    const location = { file: "gone.ts", line: 1, column: 11, length: 4, lineText };
    const problem = fromBuildError(
      { text: "Unexpected\n\u001b[31m", location, notes: [{ text: "Hint" }] },
      "/nowhere",
    );
    expect(problem).toEqual({
      message: "Unexpected [31m",
      file: "gone.ts",
      line: 1,
      column: 11,
      frame: [],
      hint: "Hint",
    });
    expect(summarize(problem)).toBe("Unexpected [31m (gone.ts:1:11)");
  });

  test("describe any thrown value, and its causes up to a limit", () => {
    const circular = new Error("round");
    circular.cause = circular;
    const sources = { cwd: "/", files: new Set<string>() };
    expect(fromThrown(toThrownFacts(circular), sources)).toHaveLength(5);
    const hostile = Object.defineProperty({}, "message", {
      get: () => {
        throw new Error("trap");
      },
    });
    expect(fromThrown(toThrownFacts(hostile), sources)).toEqual([
      { message: "an object was thrown", hint: undefined },
    ]);
    expect(fromThrown(toThrownFacts("text"), sources)).toEqual([{ message: "text", hint: undefined }]);
  });
});

describe("withConstants", () => {
  test("keeps the first line, a hashbang, and files that do not need constants", () => {
    expect(withConstants("export {};\n", "/a/b.ts")).toBe("export {};\n");
    expect(withConstants("#!/usr/bin/env node\nimport.meta.url;\n", "/a/b.ts")).toBe(
      '#!/usr/bin/env node\nconst __tenonUrl = "file:///a/b.ts", __tenonFilename = "/a/b.ts", __tenonDirname = "/a";import.meta.url;\n',
    );
  });
});

describe("RestartLimit", () => {
  test("admits five restarts in ten seconds", () => {
    let now = 0;
    const limit = new RestartLimit(() => now);
    expect(Array.from({ length: 6 }, () => limit.admit())).toEqual([true, true, true, true, true, false]);
    now = 10_000;
    expect(limit.admit()).toBe(true);
    limit.reset();
    expect(limit.admit()).toBe(true);
  });
});

describe("OutputLines", () => {
  test("joins pieces, keeps empty lines, and divides long ones", () => {
    const lines: string[] = [];
    const output = new OutputLines((line) => lines.push(line));
    output.push("a");
    output.push("b\r\n\nc");
    output.push("d".repeat(10_000));
    output.flush();
    expect(lines.map((line) => line.length)).toEqual([2, 0, 8_192, 1_809]);
    expect(lines[0]).toBe("ab");
  });
});
