import { PassThrough } from "node:stream";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { describeReport } from "../../src/tokens/describe.js";
import { BLOCKS, drawBar, formatChange, formatShare, HASHES } from "../../src/tokens/format.js";
import { measure, type TokenReport } from "../../src/tokens/measure.js";
import { formatTable } from "../../src/tokens/table.js";
import { loadTokenizer, splitLongRuns } from "../../src/tokens/tokenizer.js";
import { AS_LISTED } from "../../src/tokens/views.js";

const HEAD = { label: "Tool", tokens: "Tokens", detail: "Share" };

function terminalOf(columns: number | undefined, env: Readonly<Record<string, string>>) {
  return {
    stdout: Object.assign(new PassThrough(), columns === undefined ? {} : { columns, isTTY: true }),
    env,
  };
}

describe("the tokenizer", () => {
  test.each([
    ["words", "Adds two numbers"],
    ["JSON", '{"type":"object","properties":{"größe":{"type":"number"}}}'],
    ["Japanese", "日本語のテキスト".repeat(40)],
    ["emojis", "👩‍👩‍👧 ".repeat(300)],
    ["a long text", "word ".repeat(2_000)],
    ["digits", "1234567890".repeat(500)],
  ])("counts %s like the library", async (_what, text) => {
    const { count, encoding } = await loadTokenizer();
    expect({ encoding, tokens: count(text) }).toEqual({ encoding: "o200k_base", tokens: countTokens(text) });
  });

  test("counts special tokens as text", async () => {
    const { count } = await loadTokenizer();
    expect(count("<|endoftext|>")).toBeGreaterThan(1);
    expect(() => countTokens("<|endoftext|>")).toThrow("Disallowed special token");
  });

  test.each([["a"], ["!"], [" "], ["\n"], ["\u{1f600}"], ["é\u0301"], ["字"]])(
    "splits a very long run of %j, and keeps the text and its characters",
    (sign) => {
      const text = `start ${sign.repeat(5_000)} end`;
      const parts = splitLongRuns(text);
      expect(parts.length).toBeGreaterThan(4);
      expect(parts.join("")).toBe(text);
      expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(2_100);
      expect(parts.some((part) => /\p{Cs}/u.test(part))).toBe(false);
    },
  );

  test("does not split ordinary text", () => {
    const text = '{"name":"search","description":"Finds documents."}'.repeat(100);
    expect(splitLongRuns(text)).toEqual([text]);
  });

  test("counts a text of a million equal letters", { timeout: 120_000 }, async () => {
    const { count } = await loadTokenizer();
    expect(count("a".repeat(1_000_000))).toBeGreaterThan(10_000);
  });
});

describe("a count", () => {
  const definitions = (tools: number) => ({
    server: { name: "many", version: "1.0.0" },
    revision: "r",
    instructions: "Use them.",
    prompts: [],
    selected: {
      key: AS_LISTED,
      tools: Array.from({ length: tools }, (_, index) => ({
        name: `tool_${index}`,
        description: `Returns the value of register ${index} of the machine`,
        inputSchema: { type: "object", properties: { unit: { type: "string", enum: ["raw", "volt"] } } },
      })),
    },
    views: [],
    omittedViews: 0,
    actions: new Map(),
  });

  test("of 1,000 tools is the sum of their costs", async () => {
    const given = definitions(1_000);
    const tokenizer = await loadTokenizer();
    const startedAt = performance.now();
    const report = await measure(given, tokenizer, new AbortController().signal);
    const text = describeReport(report, NO_OPTIONS, terminalOf(undefined, {}));
    process.stdout.write(
      `Counted and formatted 1,000 tools in ${Math.round(performance.now() - startedAt)} ms\n`,
    );
    const each = given.selected.tools.map((tool) => countTokens(JSON.stringify(tool)));
    expect(report.total).toBe(each.reduce((sum, tokens) => sum + tokens, countTokens("Use them.")));
    expect(text.split("\n").filter((line) => line.startsWith("tool_"))).toHaveLength(1_000);
    expect(text).toContain("1,000 tools ");
  });

  test("stops when the user interrupts it", async () => {
    const stop = new AbortController();
    const counted = measure(definitions(100), await loadTokenizer(), stop.signal);
    stop.abort();
    await expect(counted).rejects.toMatchObject({ name: "CliError", exitCode: 130 });
  });
});

const NO_OPTIONS = { sort: "tokens", top: undefined, showActions: false, comparison: undefined } as const;

const REPORT: TokenReport = {
  server: { name: "office", version: "1.0.0" },
  revision: "r",
  encoding: "o200k_base",
  view: "as listed",
  total: 2_000,
  instructions: 100,
  tools: [
    { name: "ping", tokens: 400, description: 10, inputSchema: 20, outputSchema: 0, other: 0 },
    { name: "search_documents", tokens: 1_500, description: 10, inputSchema: 20, outputSchema: 30, other: 0 },
  ],
  prompts: [{ name: "review", tokens: 12 }],
  views: [
    { name: "as listed", tools: 2, tokens: 2_000 },
    { name: "one tool per action", tools: 4, tokens: 3_000 },
  ],
  omittedViews: 3,
};

describe("the tables", () => {
  test("in a pipe are 80 columns wide, with hashes", () => {
    expect(describeReport(REPORT, NO_OPTIONS, terminalOf(undefined, { LANG: "C.UTF-8" }))).toBe(
      [
        "office 1.0.0 (r), as listed",
        "Tokens of o200k_base",
        "",
        "Tool              Tokens   Share",
        `search_documents   1,500   75.0%  ${"#".repeat(40)}`,
        `ping                 400   20.0%  ${"#".repeat(11)}`,
        "2 tools            1,900   95.0%",
        "Instructions         100    5.0%",
        "Total              2,000  100.0%",
        "",
        "Not in the total: 1 prompt (12); output schemas (30)",
        "",
        "View                 Tokens  Tools",
        `as listed             2,000      2  ${"#".repeat(27)}`,
        `one tool per action   3,000      4  ${"#".repeat(40)}`,
        "(3 more views. Select one with --scope or --tags)",
        "",
      ].join("\n"),
    );
  });

  test("on a UTF-8 terminal have block characters, and leave the last column empty", () => {
    const text = describeReport(REPORT, NO_OPTIONS, terminalOf(50, { LANG: "C.UTF-8", NO_COLOR: "1" }));
    const lines = text.split("\n").slice(3, 9);
    expect(lines).toEqual([
      "Tool              Tokens   Share",
      `search_documents   1,500   75.0%  ${"█".repeat(15)}`,
      `ping                 400   20.0%  ${"█".repeat(4)}`,
      "2 tools            1,900   95.0%",
      "Instructions         100    5.0%",
      "Total              2,000  100.0%",
    ]);
  });

  test.each([
    [{ LANG: "C" }, "#"],
    [{ LANG: "en_US.UTF-8" }, "█"],
    [{ LANG: "en_US.UTF-8", LC_ALL: "C" }, "#"],
    [{ LANG: "en_US.UTF-8", TERM: "dumb" }, "#"],
    [{ WT_SESSION: "1" }, "█"],
    [{}, "#"],
  ])("with %j have bars of %s", (env, sign) => {
    expect(describeReport(REPORT, NO_OPTIONS, terminalOf(80, env))).toContain(`  ${sign.repeat(5)}`);
  });

  test("shorten names and drop the bar in a narrow terminal", () => {
    const row = { label: "search_documents", tokens: 5, detail: "50.0%" };
    expect(formatTable(HEAD, [row], { width: 29, bars: HASHES })).toEqual([
      "Tool      Tokens  Share",
      "search_…       5  50.0%",
    ]);
    const [, line = ""] = formatTable(HEAD, [row], { width: 36, bars: HASHES });
    expect(line).toBe("search_docume…       5  50.0%  #####");
    expect(line).toHaveLength(36);
  });

  test("are sorted by name on request, with the rest in one row", () => {
    const text = describeReport(REPORT, { ...NO_OPTIONS, sort: "name", top: 1 }, terminalOf(undefined, {}));
    expect(text.split("\n").slice(4, 7)).toEqual([
      `ping              400   20.0%  ${"#".repeat(40)}`,
      "(1 more tool)   1,500   75.0%",
      "2 tools         1,900   95.0%",
    ]);
  });
});

describe("numbers and bars", () => {
  test.each([
    [0, 8, BLOCKS, ""],
    [0.0001, 8, BLOCKS, "▏"],
    [0.5, 8, BLOCKS, "████"],
    [0.55, 8, BLOCKS, "████▍"],
    [1, 8, BLOCKS, "████████"],
    [2, 8, BLOCKS, "████████"],
    [0.01, 8, HASHES, "#"],
    [0.55, 8, HASHES, "####"],
  ])("a share of %d in %i cells", (share, cells, style, bar) => {
    expect(drawBar(share, cells, style)).toBe(bar);
  });

  test("changes have a sign, and a share of nothing is zero", () => {
    expect([1_200, -1_200, 0].map(formatChange)).toEqual(["+1,200", "-1,200", "0"]);
    expect([formatShare(0, 0), formatShare(1, 3)]).toEqual(["0.0%", "33.3%"]);
  });
});
