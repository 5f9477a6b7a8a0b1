import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { AREAS } from "../../scripts/token-report/api.js";
import { measureTokens } from "../../scripts/token-report/measure.js";
import { listTable, resultTable } from "../../scripts/tokens.js";
import { ROOT } from "../../tools/source-files.js";

const guide = readFileSync(`${ROOT}/docs/guides/grouped-tools.md`, "utf8");
const report = await measureTokens();

describe("token costs of grouped tools", () => {
  test("F13: 40 operations cost fewer tokens as grouped tools than as separate tools, and even fewer in one tool or with TOON", () => {
    expect(report.operations).toBe(40);
    expect(report.lists.map(({ tools }) => tools)).toEqual([40, AREAS.length, AREAS.length, 1, 1]);
    const tokens = report.lists.map((line) => line.tokens);
    expect(tokens).toEqual(tokens.toSorted((one, other) => other - one));
    expect(new Set(tokens).size).toBe(tokens.length);
  });

  test("first-run-c8: one grouped tool costs at most 35 % of separate tools, and at most 33 % with TOON", () => {
    const [flat, , , grouped, toon] = report.lists;
    expect(flat?.tokens).toBe(4_774);
    expect(grouped?.ratio).toBeLessThanOrEqual(0.35);
    expect(toon?.ratio).toBeLessThanOrEqual(0.33);
  });

  test("first-run-c8: the README and the documentation quote the script's figures", () => {
    const [flat, , , grouped, toon] = report.lists.map(({ tokens }) => tokens.toLocaleString("en-US"));
    const quote = `${flat} tokens as separate tools, ${grouped} as one grouped tool, and ${toon} as one grouped tool described in TOON`;
    for (const page of ["README.md", "docs/README.md"]) {
      expect(readFileSync(`${ROOT}/${page}`, "utf8")).toContain(quote);
    }
  });

  test("TOON is shortest for flat rows and single records, and compact JSON is shortest for rows with lists", () => {
    const shortest = report.results.map(
      ({ costs }) => costs.toSorted((one, other) => one.tokens - other.tokens)[0]?.form,
    );
    expect(shortest).toEqual([
      "TOON (`toonSuccess`)",
      "JSON in one line (a plain return value)",
      "TOON (`toonSuccess`)",
    ]);
  });

  test("the guide shows the script's figures", () => {
    expect(guide).toContain(`\n\n${listTable(report)}\n\n`);
    expect(guide).toContain(`\n\n${resultTable(report)}\n\n`);
  });

  test("the script prints both tables, or the figures as JSON", async () => {
    const run = async (...flags: readonly string[]) => {
      const args = ["scripts/tokens.ts", ...flags];
      return (await promisify(execFile)(`${ROOT}/node_modules/.bin/tsx`, args, { cwd: ROOT })).stdout;
    };
    const [text, json] = await Promise.all([run(), run("--json")]);
    expect(text).toBe(
      `40 operations, counted with o200k\n\n${listTable(report)}\n\n${resultTable(report)}\n`,
    );
    expect(JSON.parse(json)).toEqual(report);
  });
});
