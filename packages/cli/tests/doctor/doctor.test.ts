import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tenon, tenonInProcess } from "../../../../tests/support/program.js";
import { ROOT } from "../../../../tools/source-files.js";
import { onTerminal, plain } from "../support/pseudo-terminal.js";
import { ALL_RULES } from "../../src/doctor/rules/all-rules.js";

const SERVER = fileURLToPath(new URL("servers/capture-server.mjs", import.meta.url));
const GOOD = {
  name: "search_notes",
  description: "Finds notes that contain all words, and returns their titles.",
  inputSchema: { type: "object", properties: { query: { type: "string", description: "Words" } } },
  annotations: { readOnlyHint: true },
};
const BAD = {
  ...GOOD,
  name: "tag_note",
  description: undefined,
  inputSchema: { type: "object", properties: { tags: { type: "array", description: "Tags", maxItems: 3 } } },
};

let folder = "";
beforeAll(() => {
  mkdirSync(`${ROOT}/.tmp`, { recursive: true });
  folder = mkdtempSync(`${ROOT}/.tmp/doctor-`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
/** Writes a file of definitions, and returns the words that start a server with them. */
function serve(definitions: object): readonly string[] {
  const file = `${folder}/server-${++files}.json`;
  const server = { name: "notes", version: "1.2.3" };
  writeFileSync(file, JSON.stringify({ server, capabilities: { tools: {} }, ...definitions }));
  return ["--", process.execPath, SERVER, file];
}

function module(name: string, source: string): string {
  const file = `${folder}/${name}`;
  writeFileSync(file, source);
  return file;
}

const doctor = (args: readonly string[], cwd = folder) => tenonInProcess(["doctor", ...args], { cwd });
const REVISION = "2025-11-25";
const CHECKED = ALL_RULES.length - 4;
const NOT_CHECKED = "4 not checked: 3 need --call, 1 needs a module that describes its deadlines";

describe("the report", () => {
  test("a server without problems: exit code 0", async () => {
    expect(await doctor(serve({ lists: { tools: [GOOD] } }))).toEqual({
      code: 0,
      stderr: "",
      stdout:
        `notes 1.2.3 (${REVISION}): 1 tool, 0 resources, 0 resource templates, 0 prompts\n\n` +
        `0 errors, 0 warnings, 0 advice. ${CHECKED} rules checked, ${NOT_CHECKED}.\n`,
    });
  });

  test("a server with an error: one block per finding, grouped by severity, exit code 1", async () => {
    const { code, stdout, stderr } = await doctor(serve({ lists: { tools: [GOOD, BAD] } }));
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(stdout).toBe(
      `notes 1.2.3 (${REVISION}): 2 tools, 0 resources, 0 resource templates, 0 prompts\n` +
        "\nErrors (1)\n" +
        "\n  array-items  tools.tag_note.inputSchema.properties.tags\n" +
        "    The array has no `items`. VS Code rejects the tool, and OpenAI's API rejects every request with it.\n" +
        '    Fix: Declare the elements, such as `"items": { "type": "string" }`. In Zod, use `z.array(z.string())`.\n' +
        "    https://github.com/tenon-mcp/tenon/blob/main/docs/doctor/array-items.md\n" +
        "\nWarnings (1)\n" +
        "\n  description-missing  tools.tag_note.description\n" +
        "    The tool has no description. Models decide by the description when to call a tool, and some clients reject the tool.\n" +
        "    Fix: Describe what the tool does, and when to use it.\n" +
        "    https://github.com/tenon-mcp/tenon/blob/main/docs/doctor/description-missing.md\n" +
        `\n1 error, 1 warning, 0 advice. ${CHECKED} rules checked, ${NOT_CHECKED}.\n`,
    );
  });

  test("--json prints the documented object", async () => {
    const { code, stdout } = await doctor([
      "--json",
      "--rule",
      "array-items",
      "--rule",
      "result-size",
      ...serve({ lists: { tools: [BAD] } }),
    ]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      server: { name: "notes", version: "1.2.3" },
      revision: REVISION,
      entries: { tools: 1, resources: 0, resourceTemplates: 0, prompts: 0 },
      counts: { error: 1, warning: 0, info: 0 },
      findings: [
        {
          rule: "array-items",
          severity: "error",
          place: "tools.tag_note.inputSchema.properties.tags",
          message:
            "The array has no `items`. VS Code rejects the tool, and OpenAI's API rejects every request with it.",
          fix: 'Declare the elements, such as `"items": { "type": "string" }`. In Zod, use `z.array(z.string())`.',
          docs: "https://github.com/tenon-mcp/tenon/blob/main/docs/doctor/array-items.md",
          fixed: false,
        },
      ],
      checked: ["array-items"],
      notChecked: [{ rule: "result-size", needs: "calls" }],
      notes: [],
    });
  });

  test("--output json is the same as --json", async () => {
    const words = serve({ lists: { tools: [BAD] } });
    const [a, b] = await Promise.all([doctor(["--json", ...words]), doctor(["--output", "json", ...words])]);
    expect(a).toEqual(b);
  });

  test("the JSON example in the documentation has the members of a report", async () => {
    const { stdout } = await doctor(["--json", ...serve({ lists: { tools: [BAD] } })]);
    const page = readFileSync(`${ROOT}/docs/doctor/README.md`, "utf8");
    const example = /^## JSON output$[\s\S]*?^```json\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? "";
    const [documented, real] = [example, stdout].map((text) => JSON.parse(text) as { findings: object[] });
    expect(Object.keys(documented ?? {})).toEqual(Object.keys(real ?? {}));
    expect(Object.keys(documented?.findings[0] ?? {})).toEqual(Object.keys(real?.findings[0] ?? {}));
  });

  test("more than 10 findings of a rule are summarized", async () => {
    const tools = Array.from({ length: 13 }, (_, index) => ({
      ...GOOD,
      name: `t.${index}`,
      description: `Does ${index}`,
    }));
    const { stdout } = await doctor(["--rule", "name-characters", ...serve({ lists: { tools } })]);
    expect(stdout.match(/^ {2}name-characters {2}tools/gm)).toHaveLength(10);
    expect(stdout).toContain("\n  name-characters: 3 more findings. Show all of them with --json.\n");
    expect(stdout).toContain("\n13 errors, 0 warnings, 0 advice. 1 rule checked.\n");
  });

  test("in a terminal, severities have colors and lines are wrapped", async () => {
    const words = serve({ lists: { tools: [BAD] } });
    const { output } = await onTerminal(["doctor", ...words], { columns: 60 });
    expect(output).toContain("\u001b[31marray-items\u001b[39m");
    // The line that shows the start of the server is erased before the report.
    const lines = output.split("\n").map((line) => plain(line.split("\u001b[2K").at(-1) ?? ""));
    expect(lines).toContain("Errors (1)");
    expect(lines.filter((line) => line.length > 60 && !line.includes("https://"))).toEqual([]);
  });
});

describe("options", () => {
  test("--skip leaves out a rule, so that the server passes", async () => {
    const { code, stdout } = await doctor(["--skip", "array-items", ...serve({ lists: { tools: [BAD] } })]);
    expect(code).toBe(0);
    expect(stdout).not.toContain("array-items");
  });

  test.each([
    ["0", 1],
    ["1", 0],
  ])("--max-warnings %s with one warning: exit code %i", async (limit, expected) => {
    const args = [
      "--max-warnings",
      limit,
      "--rule",
      "description-missing",
      ...serve({ lists: { tools: [BAD] } }),
    ];
    expect((await doctor(args)).code).toBe(expected);
  });

  test("--call calls only tools that are read-only and require no arguments", async () => {
    const definitions = {
      lists: {
        tools: [
          { ...GOOD, outputSchema: { type: "object" } },
          { ...GOOD, name: "list_all", inputSchema: { type: "object" } },
          { ...GOOD, name: "clear_all", annotations: {}, inputSchema: { type: "object" } },
        ],
      },
      calls: {
        search_notes: { content: [{ type: "text", text: "{}" }] },
        list_all: { content: [], structuredContent: { a: 1 } },
        clear_all: { content: [], structuredContent: { a: 1 } },
      },
    };
    const rules = ["result-size", "structured-content", "output-missing"].flatMap((rule) => ["--rule", rule]);
    const { code, stdout } = await doctor(["--call", "--json", ...rules, ...serve(definitions)]);
    expect(code).toBe(1);
    const { findings, notChecked } = JSON.parse(stdout) as { findings: { place: string }[]; notChecked: [] };
    expect(findings.map(({ place }) => place)).toEqual([
      "calls.list_all.structuredContent",
      "calls.search_notes.structuredContent",
    ]);
    expect(notChecked).toEqual([]);
  });

  test("--calls makes the calls in a file, and reports calls without a result", async () => {
    const file = module(
      "calls.json",
      JSON.stringify([{ tool: "clear_all" }, { tool: "unknown", arguments: { a: 1 } }]),
    );
    const words = serve({
      lists: { tools: [{ ...GOOD, name: "clear_all", annotations: {} }] },
      calls: { clear_all: { content: [], structuredContent: { a: 1 } } },
    });
    const { stdout } = await doctor(["--calls", file, "--rule", "structured-content", ...words]);
    expect(stdout).toContain("structured-content  calls.clear_all.structuredContent");
    expect(stdout).toContain("\n1 of the calls had no result: an error, a request for input, or a task.\n");
  });

  test("--revision selects what older clients see", async () => {
    const { stdout } = await doctor([
      "--revision",
      "2024-11-05",
      "--json",
      ...serve({ lists: { tools: [GOOD] } }),
    ]);
    expect((JSON.parse(stdout) as { revision: string }).revision).toBe("2024-11-05");
  });
});

describe("an invalid command line is reported in one line, with exit code 2", () => {
  test.each<[readonly string[], string]>([
    [[], "No server specified. Pass a file or a URL with --server, or a program after --."],
    [["a.mjs", "--server", "b.mjs"], "The server is specified twice. Use either the argument or --server."],
    [["a.mjs", "--rule", "array-itms"], 'Unknown rule "array-itms". Did you mean array-items?'],
    [["a.mjs", "--skip", "x"], 'Unknown rule "x".'],
    [["a.mjs", "--dry-run"], "--dry-run requires --fix."],
    [["--fix", "--", "x"], "--fix requires a module as the server, because it changes the module's files."],
    [
      ["--fix", "https://example.com/mcp"],
      "--fix requires a module as the server, because it changes the module's files.",
    ],
    [["a.mjs", "--call", "--calls", "c.json"], "--call cannot be combined with --calls. Remove one of them."],
    [["a.mjs", "--calls", "missing.json"], 'Could not read "missing.json".'],
    [["a.mjs", "--max-warnings", "-1"], "--max-warnings requires a value."],
    [["a.mjs", "--max-warnings", "few"], '--max-warnings must be a non-negative integer; got "few".'],
    [["a.mjs", "--ignore", "x"], "Unknown flag --ignore. Did you mean --skip?"],
    [["missing.mjs"], 'File "missing.mjs" not found.'],
  ])("%j", async (args, problem) => {
    expect(await doctor(args)).toEqual({
      code: 2,
      stdout: "",
      stderr: `${problem}\nRun tenon doctor --help for usage.\n`,
    });
  });
});

describe("hostile servers", () => {
  test("control characters never reach the output", async () => {
    const evil = "\u001b]0;x\u0007\u001b[2J\u202e\u009b31m";
    const words = serve({
      server: { name: `n${evil}`, version: evil },
      instructions: evil,
      lists: {
        tools: [
          {
            name: `t${evil}`,
            description: evil,
            inputSchema: { type: evil, properties: { [evil]: { enum: [evil, ""] } } },
          },
        ],
      },
      errors: { "prompts/list": { code: -1, message: evil } },
      capabilities: { tools: {}, prompts: {} },
    });
    const { code, stdout, stderr } = await doctor(words);
    expect(code).toBe(1);
    expect(stdout).toContain("<U+001B>");
    expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u);
    const { stdout: json } = await doctor(["--json", ...words]);
    expect(JSON.stringify((JSON.parse(json) as { findings: unknown }).findings)).not.toMatch(
      /\\u001b|\\u202e|\u202e/,
    );
  });

  test("a list without an end is reported", async () => {
    const { code, stdout } = await doctor(serve({ lists: { tools: [GOOD] }, cursor: "again" }));
    expect(code).toBe(1);
    expect(stdout).toContain("cursor-repeated  tools\n");
  });

  test("a long list is checked up to the limit, and the report says so", async () => {
    const tools = Array.from({ length: 10_500 }, (_, index) => ({ name: `t${index}`, inputSchema: {} }));
    const { code, stdout } = await doctor(serve({ lists: { tools } }));
    expect(code).toBe(1);
    expect(stdout).toContain("The list `tools` is too long. Only the first 10000 entries were checked.");
    expect(stdout).toMatch(/Too many findings of .*root-type.*\. Only the first 1000 are counted\./);
  });

  test("a declared list that fails is reported", async () => {
    const { stdout } = await doctor(
      serve({
        capabilities: { tools: {}, resources: {} },
        errors: { "resources/list": { code: -32601, message: "Method not found" } },
      }),
    );
    expect(stdout).toContain("list-failed  resources\n");
    expect(stdout).toContain('responds with error -32601: "Method not found"');
  });

  test("a server that does not start is an error", async () => {
    const { code, stdout, stderr } = await doctor(["--", process.execPath, "-e", "process.exit(3)"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).not.toBe("");
  });
});

describe("a module", () => {
  const source = (description: string) =>
    [
      'import { defineServer } from "tenon";',
      'export default defineServer({ name: "notes", version: "1.0.0" }).tool("search_notes", {',
      `  description: ${description},`,
      "  annotations: { readOnlyHint: true },",
      '  handler: () => "none",',
      "});",
      "",
    ].join("\n");

  test("is checked in memory, and its own output does not mix with the report", async () => {
    const file = module("plain.mjs", `console.log("loaded");\n${source('"Finds notes by words."')}`);
    const { code, stdout, stderr } = await tenon(["doctor", file, "--json"]);
    expect(code).toBe(0);
    expect(stderr).toContain("loaded");
    expect((JSON.parse(stdout) as { ok: boolean }).ok).toBe(true);
  });

  test("--fix --dry-run shows the change and does not write it", async () => {
    const text = source('"Finds notes\u200b by words."');
    const file = module("dry.mjs", text);
    const { code, stdout } = await doctor([file, "--fix", "--dry-run"]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      "\nFixes (1)\n\n--- dry.mjs\n+++ dry.mjs\n@@ -3,1 +3,1 @@\n" +
        '-  description: "Finds notes<U+200B> by words.",\n+  description: "Finds notes by words.",\n',
    );
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  test("--fix writes the change and keeps a backup, and the next run finds nothing", async () => {
    const text = source('"Finds notes\\u200b by words."');
    const file = module("fix.mjs", text);
    const { code, stdout } = await doctor([file, "--fix"]);
    expect(code).toBe(0);
    expect(stdout).toContain("\nFixed (1)\n");
    expect(readFileSync(file, "utf8")).toBe(source('"Finds notes by words."'));
    expect(readFileSync(`${file}.bak`, "utf8")).toBe(text);
    expect((await tenon(["doctor", file])).stdout).not.toContain("hidden-characters");
  });

  test("--fix says what it cannot fix, and why", async () => {
    const file = module("composed.mjs", source('"Finds notes" + "\\u200b by words."'));
    const { code, stdout } = await doctor([file, "--fix"]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      "\nNot fixed: hidden-characters at tools.search_notes.description. The text is not one literal in the module's own files.",
    );
    const json = JSON.parse((await doctor([file, "--fix", "--json"])).stdout) as object;
    expect(json).toMatchObject({
      ok: false,
      fixes: [],
      unfixed: [{ rule: "hidden-characters", place: "tools.search_notes.description" }],
    });
  });

  test("--fix --json lists the changes", async () => {
    const file = module("json.mjs", source('"Finds notes\u200b by words."'));
    const report = JSON.parse((await doctor([file, "--fix", "--json"])).stdout) as object;
    expect(report).toMatchObject({
      ok: true,
      findings: [{ rule: "hidden-characters", fixed: true }],
      fixes: [
        {
          rule: "hidden-characters",
          place: "tools.search_notes.description",
          file: "json.mjs",
          line: 3,
          written: true,
        },
      ],
      unfixed: [],
    });
  });
});
