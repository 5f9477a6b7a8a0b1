/**
 * @fileoverview Converts a tool's parameters to a tree of expected tags, which guides the parser.
 * @module agent/xml/plan
 */
import type { ToolParam } from "../tools/tool-param.js";

/** A tag that contains a value. */
export interface LeafPlan {
  readonly kind: "string" | "number" | "boolean";
  readonly name: string;
}

/** A tag that contains tags with different names. Each name can appear only once. */
export interface ObjectPlan {
  readonly kind: "object";
  readonly name: string;
  readonly members: ReadonlyMap<string, Plan>;
}

/** A tag that contains any number of tags with the same name. */
export interface ArrayPlan {
  readonly kind: "array";
  readonly name: string;
  readonly members: ReadonlyMap<string, Plan>;
}

/** Expected content of a tag. */
export type Plan = LeafPlan | ObjectPlan | ArrayPlan;

/** Creates the plan for calls to a tool. The tool's tag is an object whose members are the parameters. */
export function planTool(name: string, params: readonly ToolParam[]): ObjectPlan {
  return { kind: "object", name, members: new Map(params.map((param) => [param.name, planParam(param)])) };
}

function planParam({ name, type = "string", params = [] }: ToolParam): Plan {
  if (type !== "array" && type !== "object") return { kind: type, name };
  return { kind: type, name, members: new Map(params.map((param) => [param.name, planParam(param)])) };
}

/**
 * Converts a leaf's text to the declared type. Text that cannot be converted is returned as a trimmed string, which
 * the schema rejects later.
 */
export function convertLeaf(kind: LeafPlan["kind"], text: string): string | number | boolean {
  if (kind === "string") return text;
  const word = text.trim();
  if (kind === "boolean") {
    const lower = word.toLowerCase();
    return lower === "true" ? true : lower === "false" ? false : word;
  }
  // The length check comes first, because the pattern is slow on long texts.
  const value = word.length <= MAX_DIGITS && NUMBER.test(word) ? Number(word) : Number.NaN;
  return Number.isFinite(value) ? value : word;
}

const MAX_DIGITS = 100;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
