/**
 * @fileoverview The measured requests as prepared texts, each with a check of its response.
 * @module bench/lib/cases
 */
import type { Mode } from "../servers/contract.js";

/** Name of a case. */
export type CaseName = "call" | "echo" | "list" | "action" | "events";

/** One request, and the check of its result. */
export interface Variant {
  readonly id: number;
  readonly method: string;
  readonly name: string | undefined;
  readonly text: string;
  readonly check: (result: unknown) => boolean;
}

/** A case: requests that differ in id and, for small cases, in arguments. */
export interface Case {
  readonly name: CaseName;
  readonly variants: readonly Variant[];
}

/** Newest legacy revision that every server of the benchmark supports. */
export const LEGACY_REVISION = "2025-06-18";
/** Stateless revision. */
export const MODERN_REVISION = "2026-07-28";

/** The `initialize` request. */
export const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: LEGACY_REVISION,
    capabilities: {},
    clientInfo: { name: "bench", version: "1.0.0" },
  },
});

/** The `initialized` notification. */
export const INITIALIZED = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });

const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": MODERN_REVISION,
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
};

/** 100 kB of plain text. */
const LARGE = "The quick brown fox jumps over the lazy dog. ".repeat(2_276).slice(0, 102_400);

/** Sum of every pair of arguments. It is constant, so that even a fixed response can be correct. */
const SUM = 1_000;

const COUNTS = { call: 16, echo: 4, list: 16, action: 16, events: 4 } as const;

/** Number of events in one response of the case `events`. */
export const EVENTS_PER_CALL = 100;

/** Tool of each case; `work` is one tool with many actions, and `ticks` sends progress. */
const TOOLS = { call: "add", echo: "echo", list: undefined, action: "work", events: "ticks" } as const;

/** Creates the requests of a case. */
export function makeCase(name: CaseName, mode: Mode, tools: number, count: number = COUNTS[name]): Case {
  return {
    name,
    variants: Array.from({ length: count }, (_, index) => variant(name, mode, tools, index + 1)),
  };
}

function variant(name: CaseName, mode: Mode, tools: number, id: number): Variant {
  const method = name === "list" ? "tools/list" : "tools/call";
  const tool = TOOLS[name];
  const sum = { a: id % SUM, b: SUM - (id % SUM) };
  const args = {
    call: sum,
    echo: { text: LARGE },
    list: undefined,
    action: { action: "add", ...sum },
    events: { count: EVENTS_PER_CALL, text: "" },
  }[name];
  const meta = {
    ...(mode === "modern" ? ENVELOPE : {}),
    ...(name === "events" ? { progressToken: id } : {}),
  };
  const params = {
    ...(tool === undefined ? {} : { name: tool, arguments: args }),
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
  const text = JSON.stringify({ jsonrpc: "2.0", id, method, params });
  if (name === "list")
    return { id, method, name: tool, text, check: (result) => countTools(result) === tools };
  const expected = name === "echo" ? LARGE : String(name === "events" ? EVENTS_PER_CALL : SUM);
  return { id, method, name: tool, text, check: (result) => textOf(result) === expected };
}

function countTools(result: unknown): number {
  return (result as { readonly tools?: readonly unknown[] }).tools?.length ?? 0;
}

function textOf(result: unknown): string | undefined {
  return (result as { readonly content?: readonly { readonly text?: string }[] }).content?.[0]?.text;
}
