/**
 * @fileoverview The measured requests as prepared texts, each with a check of its response.
 * @module bench/lib/cases
 */
import type { Mode } from "../servers/contract.js";
import { checkLarge, LARGE_NAMES, type LargeName } from "./large-results.js";

/** Name of a case. */
export type CaseName = "order" | "call" | "echo" | "list" | "action" | "events" | "progress" | LargeName;

/** One request, and the check of its result. */
export interface Variant {
  readonly id: number;
  readonly method: string;
  readonly name: string | undefined;
  readonly args: Readonly<Record<string, unknown>> | undefined;
  readonly text: string;
  readonly check: (result: unknown) => boolean;
  /** Number of progress notifications that must arrive before the response. */
  readonly progress: number;
}

/** A case: requests that differ in ID and, for small cases, in arguments. */
export interface Case {
  readonly name: CaseName;
  /** ID of the first request. The others count up from it. */
  readonly firstId: number;
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

/** Members of `_meta` in every request of the modern era. */
export const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": MODERN_REVISION,
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
} as const;

/** First ID of the realistic cases: clients that count up for hours, or that draw random IDs, send long ones. */
export const LONG_ID = 100_000_001;

/** 100 kB of plain text. */
const LARGE = "The quick brown fox jumps over the lazy dog. ".repeat(2_276).slice(0, 102_400);

/** Sum of every pair of arguments. It is constant, so that even a fixed response can be correct. */
const SUM = 1_000;

/** Number of events in one response of the case `events`. */
export const EVENTS_PER_CALL = 100;

/** Number of progress notifications in one response of the case `progress`. */
export const PROGRESS_PER_CALL = 10;

const SIZES = ["small", "medium", "large"] as const;

/** Description of a case, from which its requests are created. */
interface Shape {
  /** Called tool; `undefined` for a list. */
  readonly tool: string | undefined;
  /** Number of different requests. */
  readonly count: number;
  readonly firstId: number;
  readonly progress: number;
  readonly args: (index: number) => Readonly<Record<string, unknown>>;
  readonly check: (result: unknown, index: number, tools: number) => boolean;
}

const shape = (tool: string, parts: Partial<Shape> & Pick<Shape, "args" | "check">): Shape => ({
  tool,
  count: 16,
  firstId: 1,
  progress: 0,
  ...parts,
});

const sumOf = (index: number) => ({ a: (index + 1) % SUM, b: SUM - ((index + 1) % SUM) });
const isSum = (result: unknown) => textOf(result) === String(SUM);

const SHAPES: Readonly<Record<CaseName, Shape>> = {
  order: shape("order", { count: 64, firstId: LONG_ID, args: orderOf, check: isOrder }),
  call: shape("add", { args: sumOf, check: isSum }),
  echo: shape("echo", {
    count: 4,
    args: () => ({ text: LARGE }),
    check: (result) => textOf(result) === LARGE,
  }),
  list: {
    ...shape("", { args: () => ({}), check: (result, _, tools) => countTools(result) === tools }),
    tool: undefined,
  },
  action: shape("work", { args: (index) => ({ action: "add", ...sumOf(index) }), check: isSum }),
  events: ticks(EVENTS_PER_CALL, { count: 4 }),
  progress: ticks(PROGRESS_PER_CALL, { firstId: LONG_ID }),
  ...largeShapes(),
};

/** Creates the requests of a case. */
export function makeCase(
  name: CaseName,
  mode: Mode,
  tools: number,
  count: number = SHAPES[name].count,
): Case {
  const { firstId } = SHAPES[name];
  const variants = Array.from({ length: count }, (_, index) => createVariant(SHAPES[name], mode, index));
  return {
    name,
    firstId,
    variants: variants.map((variant, index) => ({
      ...variant,
      check: (result) => SHAPES[name].check(result, index, tools),
    })),
  };
}

function createVariant(
  { tool, firstId, progress, args: createArgs }: Shape,
  mode: Mode,
  index: number,
): Omit<Variant, "check"> {
  const id = firstId + index;
  const method = tool === undefined ? "tools/list" : "tools/call";
  const args = tool === undefined ? undefined : createArgs(index);
  const meta = {
    ...(mode === "modern" ? ENVELOPE : {}),
    ...(progress > 0 ? { progressToken: id } : {}),
  };
  const params = {
    ...(tool === undefined ? {} : { name: tool, arguments: args }),
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
  const text = JSON.stringify({ jsonrpc: "2.0", id, method, params });
  return { id, method, name: tool, args, text, progress };
}

/** Returns the arguments of a realistic call: text, a bounded integer, a boolean, and one of a few words. */
function orderOf(index: number) {
  return {
    customer: `Customer ${index + 1} & Sons`,
    quantity: 1 + (index % 100),
    express: index % 3 === 0,
    size: SIZES[index % SIZES.length] ?? "small",
  };
}

function isOrder(result: unknown, index: number): boolean {
  const { customer, quantity, express, size } = orderOf(index);
  return (
    textOf(result) === `${quantity} ${size} for ${customer}, ${express ? "express" : "standard"} delivery`
  );
}

function ticks(count: number, parts: Partial<Shape>): Shape {
  return shape("ticks", {
    ...parts,
    progress: count,
    args: () => ({ count, text: "" }),
    check: (result) => textOf(result) === String(count),
  });
}

function largeShapes(): Readonly<Record<LargeName, Shape>> {
  const pairs = LARGE_NAMES.map((name) => [
    name,
    shape(name, {
      count: 2,
      firstId: LONG_ID,
      args: () => ({}),
      check: (result) => checkLarge(name, result),
    }),
  ]);
  return Object.fromEntries(pairs) as Record<LargeName, Shape>; // Safe: built from all names
}

function countTools(result: unknown): number {
  return (result as { readonly tools?: readonly unknown[] }).tools?.length ?? 0;
}

function textOf(result: unknown): string | undefined {
  return (result as { readonly content?: readonly { readonly text?: string }[] }).content?.[0]?.text;
}
