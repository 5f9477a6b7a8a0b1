/**
 * @fileoverview Counts the tokens that the sample API costs: its tool list in every exposition, and results as JSON and
 * as TOON.
 * @module scripts/token-report/measure
 */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { defineServer } from "../../packages/tenon/src/core/define-server.js";
import { createTool, type GroupedToolBuilder, success, toonSuccess } from "tenon/grouped";
import type { Exposition } from "../../packages/tenon/src/core/definitions/tool.js";
import type { ToolResult } from "tenon/protocol";
import { AREAS } from "./api.js";

/** Table row: a format and its token cost. */
export interface Cost {
  readonly form: string;
  readonly tokens: number;
  /** Cost relative to the first row of the table. */
  readonly ratio: number;
}

/** Row in the table of tool lists. */
export interface ListCost extends Cost {
  /** Number of tools that a client sees. */
  readonly tools: number;
}

/** Measured token counts. */
export interface TokenReport {
  readonly operations: number;
  readonly lists: readonly ListCost[];
  readonly results: readonly { readonly what: string; readonly costs: readonly Cost[] }[];
}

/** Counts tokens with o200k, a tokenizer for GPT models. */
export async function measureTokens(): Promise<TokenReport> {
  return {
    operations: AREAS.reduce((sum, { actions }) => sum + actions.length, 0),
    lists: await measureLists(),
    results: [
      { what: "20 flat rows", costs: measureResult(FLAT_ROWS) },
      { what: "20 rows with a list in each", costs: measureResult(NESTED_ROWS) },
      { what: "one record", costs: measureResult(FLAT_ROWS[0]) },
    ],
  };
}

/** Format of a tool description. */
type Form = "text" | "toon";

async function measureLists(): Promise<readonly ListCost[]> {
  const forms: readonly (readonly [string, readonly GroupedToolBuilder[], Exposition])[] = [
    ["a tool for each operation (flat)", byArea(), "flat"],
    ["a grouped tool for each area", byArea(), "grouped"],
    ["a grouped tool for each area, with TOON", byArea("toon"), "grouped"],
    ["one grouped tool", inOne(), "grouped"],
    ["one grouped tool, with TOON", inOne("toon"), "grouped"],
  ];
  const counted = await Promise.all(
    forms.map(async ([form, tools, expose]) => ({ form, ...(await readList(tools, expose)) })),
  );
  return withRatios(counted);
}

/** Returns the size of the `tools/list` response, as the server sends it. */
async function readList(tools: readonly GroupedToolBuilder[], expose: Exposition) {
  const builder = defineServer({ name: "platform", version: "1.0.0" });
  for (const tool of tools) builder.tools(tool, { expose });
  const reply = await builder.build().handle({ jsonrpc: "2.0", id: 1, method: "tools/list" }, undefined);
  const text = reply.toText();
  // The server's own response has this shape.
  const { result } = JSON.parse(text) as { readonly result: { readonly tools: readonly unknown[] } };
  return { tools: result.tools.length, tokens: countTokens(text) };
}

function byArea(form: Form = "text"): readonly GroupedToolBuilder[] {
  return AREAS.map(({ name, description, actions }) => {
    const tool = createTool(name).description(description);
    for (const action of actions) tool.action(action);
    return form === "toon" ? tool.toonDescription() : tool;
  });
}

function inOne(form: Form = "text"): readonly GroupedToolBuilder[] {
  const tool = createTool("platform").description("Run the platform");
  for (const { name, description, actions } of AREAS) {
    tool.group(name, description, (group) => {
      for (const action of actions) group.action(action);
    });
  }
  return [form === "toon" ? tool.toonDescription() : tool];
}

function measureResult(data: unknown): readonly Cost[] {
  const forms: readonly (readonly [string, ToolResult])[] = [
    ["JSON with indentation (`success`)", success(data)],
    ["JSON in one line (a plain return value)", success(JSON.stringify(data))],
    ["TOON (`toonSuccess`)", toonSuccess(data)],
  ];
  return withRatios(
    forms.map(([form, { content }]) => ({
      form,
      // The model reads the text, not the JSON around it.
      tokens: content.reduce((sum, block) => sum + (block.type === "text" ? countTokens(block.text) : 0), 0),
    })),
  );
}

function withRatios<Line extends { readonly tokens: number }>(
  lines: readonly Line[],
): readonly (Line & { readonly ratio: number })[] {
  const [first] = lines;
  return lines.map((line) => ({ ...line, ratio: line.tokens / (first?.tokens ?? 1) }));
}

const ROLES = ["member", "manager", "admin"];
const NAMES = ["Ada Lovelace", "Alan Turing", "Grace Hopper", "Edsger Dijkstra", "Barbara Liskov"];

const FLAT_ROWS = Array.from({ length: 20 }, (_, index) => {
  const fullName = NAMES[index % NAMES.length] ?? "";
  return {
    id: `usr_${1_000 + index}`,
    fullName,
    email: `${fullName.toLowerCase().replace(" ", ".")}.${index}@example.com`,
    role: ROLES[index % ROLES.length],
    active: index % 4 !== 0,
    // Users who never signed in do not have this field, which leaves gaps in the table.
    ...(index % 5 === 0 ? {} : { lastSeen: `2026-03-${String(index + 1).padStart(2, "0")}` }),
  };
});

const NESTED_ROWS = FLAT_ROWS.map((row, index) => ({
  ...row,
  projects: [
    { id: `prj_${index}`, title: "Apollo" },
    { id: `prj_${index + 1}`, title: "Gemini" },
  ],
}));
