import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../../../tools/source-files.js";
import { toFacts } from "../../src/doctor/facts/facts.js";
import type { Rule } from "../../src/doctor/rule.js";
import { ALL_RULES } from "../../src/doctor/rules/all-rules.js";
import { runRules } from "../../src/doctor/run-rules.js";
import { fixtureIds, type PartialCapture, readFixture, toCapture } from "../support/doctor/rule-fixtures.js";

const ids = ALL_RULES.map(({ id }) => id);
const DOCS = `${ROOT}/docs/doctor`;
const find = (rules: readonly Rule[], part: PartialCapture) => runRules(rules, toFacts(toCapture(part)));

describe("every rule", () => {
  test("there are at least 25 rules with different IDs", () => {
    expect(ids.length).toBeGreaterThanOrEqual(25);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+(?:-[a-z]+)+$/);
  });

  test("is in the table of all rules exactly once", () => {
    const folder = `${ROOT}/packages/cli/src/doctor/rules`;
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".ts"),
    );
    const defined = files.flatMap((file) =>
      [...readFileSync(`${folder}/${file}`, "utf8").matchAll(/^ +id: "([\w-]+)",$/gm)].map(([, id]) => id),
    );
    expect(new Set(defined)).toEqual(new Set(ids));
    expect(defined).toHaveLength(ids.length);
  });

  test("has exactly one fixture", () => {
    expect(fixtureIds().toSorted()).toEqual(ids.toSorted());
  });

  test("has a documentation page, and every page belongs to a rule", () => {
    const pages = readdirSync(DOCS).filter((file) => file !== "README.md");
    expect(pages.toSorted()).toEqual(ids.map((id) => `${id}.md`).toSorted());
  });
});

describe.each(ALL_RULES)("$id", (rule) => {
  const { id } = rule;
  const { failing, findings, passing } = readFixture(id);

  test("finds the problems in its failing fixture, at their places", () => {
    const found = find([rule], failing).findings;
    expect(found.map(({ place, severity }) => ({ place, severity }))).toEqual(findings);
    expect(findings.length).toBeGreaterThan(0);
    for (const { rule: name, message, fix } of found) {
      expect(name).toBe(id);
      expect(message).toMatch(/[.…]$/);
      expect(fix).toMatch(/^[A-Z].*\.$/s);
      expect(message + fix).not.toMatch(
        /[\p{Cc}\u200b-\u200f\u202a-\u202e\u2066-\u2069]|undefined|\[object/u,
      );
    }
  });

  test("finds nothing in its passing fixture", () => {
    expect(find([rule], passing).findings).toEqual([]);
  });

  test("its page states the ID, the severity, who complains, both examples, and how to skip the rule", () => {
    const page = `${DOCS}/${id}.md`;
    expect(existsSync(page)).toBe(true);
    const text = readFileSync(page, "utf8");
    expect(text).toMatch(new RegExp(`^# ${id}: `));
    for (const heading of ["What is wrong", "Who complains", "Example", "Configure"])
      expect(text).toContain(`\n## ${heading}\n`);
    const severities = new Set(find([rule], failing).findings.map(({ severity }) => severity));
    for (const severity of severities) expect(text.split("\n## ")[0]).toContain(severity);
    expect(text).toMatch(/https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/(?:issues|pull)\/\d+/);
    expect(text).toContain(`--skip ${id}`);
    expect(text).toMatch(/^Bad:$[\s\S]*^Good:$/m);
  });
});

test("the index lists every rule with its title and severity", () => {
  const index = readFileSync(`${DOCS}/README.md`, "utf8");
  for (const { id, title, severity } of ALL_RULES) {
    const row = index.split("\n").find((line) => line.startsWith(`| [${id}](${id}.md) `));
    expect(row, id).toBeDefined();
    expect(row).toContain(`| ${title} `);
    expect(row).toContain(severity);
  }
});

test("a rule that needs other facts does not run, and is counted", () => {
  const { checked, notChecked } = find(ALL_RULES, {});
  expect(notChecked.map(({ rule, needs }) => `${rule} ${needs}`)).toEqual([
    "result-size calls",
    "structured-content calls",
    "output-missing calls",
    "deadline-missing settings",
  ]);
  expect(checked.length + notChecked.length).toBe(ids.length);
});

test("an ordinary server has no findings", () => {
  const { findings } = find(ALL_RULES, {
    instructions: "Search before you write.",
    tools: [
      {
        name: "search_notes",
        title: "Search notes",
        description: "Finds notes that contain all words, and returns their IDs and titles.",
        inputSchema: {
          $schema: "https://json-schema.org/draft/2020-12/schema",
          type: "object",
          properties: {
            query: { type: "string", description: "Words to find, such as: tax 2025" },
            tags: { type: "array", description: "Tags", items: { type: "string" }, maxItems: 10 },
          },
          required: ["query"],
          additionalProperties: false,
        },
        outputSchema: { type: "object", properties: { notes: { type: "array", items: { type: "object" } } } },
        annotations: { readOnlyHint: true },
      },
    ],
    resources: [{ uri: "notes://all", name: "notes", mimeType: "application/json" }],
    prompts: [{ name: "summarize", description: "Summarizes a note", arguments: [] }],
    calls: [
      {
        tool: "search_notes",
        result: { content: [{ type: "text", text: '{"notes":[]}' }], structuredContent: { notes: [] } },
      },
    ],
    settings: [{ tool: "search_notes", deadlineMs: 10_000 }],
  });
  expect(findings).toEqual([]);
});

describe("hostile definitions", () => {
  test("findings of one rule are limited", () => {
    const tools = Array.from({ length: 3_000 }, (_, index) => ({
      name: `t${index}`,
      inputSchema: { type: "object" },
    }));
    const { findings, cut } = find(ALL_RULES, { tools });
    expect(findings.filter(({ rule }) => rule === "description-missing")).toHaveLength(1_000);
    expect(cut).toContain("description-missing");
  });

  test("deep, large, and strange definitions do not stop the rules", () => {
    let deep: Record<string, unknown> = { type: "string" };
    // As deep as a message may be.
    for (let level = 0; level < 60; level++) deep = { type: "object", properties: { p: deep } };
    const wide = Object.fromEntries(
      Array.from({ length: 30_000 }, (_, index) => [`p${index}`, { type: "array" }]),
    );
    const strange = [null, 1, "x", [], {}, true].map((value, index) => ({
      name: `strange_${index}`,
      title: value,
      description: value,
      inputSchema: {
        type: value,
        properties: value,
        required: value,
        enum: value,
        items: value,
        anyOf: value,
        $ref: value,
      },
      outputSchema: value,
      annotations: value,
      _meta: value,
    }));
    const tools = [
      { name: "deep", inputSchema: deep },
      { name: "wide", inputSchema: { type: "object", properties: wide } },
      ...strange,
    ];
    const prompts = [{ name: 1, arguments: [null, { name: 1 }] }];
    const { findings } = find(ALL_RULES, { tools, prompts, resources: [{ uri: 1 }] });
    expect(findings.some(({ rule }) => rule === "schema-depth")).toBe(true);
    expect(findings.some(({ rule }) => rule === "array-items")).toBe(true);
  });

  test("texts that slow patterns could take long for are checked quickly", () => {
    const texts = [
      "ignore ".repeat(5_000),
      "<important>".repeat(5_000),
      `eyJ${"a".repeat(30_000)}.`,
      "a://b:".repeat(5_000),
      "(?<".repeat(5_000),
      "do not tell ".repeat(3_000),
      `-----BEGIN ${"PRIVATE KEY-----".repeat(3_000)}`,
    ];
    const tools = texts.map((text, index) => ({
      name: `t${index}`,
      description: text,
      inputSchema: { type: "object", properties: { p: { type: "string", pattern: text, default: text } } },
    }));
    const start = performance.now();
    find(ALL_RULES, { tools });
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  test("names with control characters are shown as code points", () => {
    const { findings } = find(ALL_RULES, {
      tools: [{ name: "a\u001b[31m\u202eb", description: "x", inputSchema: {} }],
    });
    const shown = findings.map(({ place, message, fix }) => place + message + fix).join();
    expect(shown).toContain("<U+001B>");
    expect(shown).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  });
});
