/**
 * @fileoverview Converts the parameters of a tool to a tree of tags, which calls are parsed with.
 * @module agent/xml/plan
 */
import type { ToolParam } from "../tools/tool-param.js";

/** A tag that contains a value. */
export interface LeafPlan {
  readonly kind: "string" | "number" | "boolean";
  readonly name: string;
}

/** A tag that contains tags with different names, each at most once. */
export interface ObjectPlan {
  readonly kind: "object";
  readonly name: string;
  readonly members: ReadonlyMap<string, Plan>;
}

/** A tag that contains any number of tags with one name. */
export interface ArrayPlan {
  readonly kind: "array";
  readonly name: string;
  readonly members: ReadonlyMap<string, Plan>;
}

/** Content of a tag. */
export type Plan = LeafPlan | ObjectPlan | ArrayPlan;

/** Creates the plan of a call. The tool's tag is an object with its parameters. */
export function planTool(name: string, params: readonly ToolParam[]): ObjectPlan {
  return { kind: "object", name, members: new Map(params.map((param) => [param.name, planParam(param)])) };
}

function planParam({ name, type = "string", params = [] }: ToolParam): Plan {
  if (type !== "array" && type !== "object") return { kind: type, name };
  return { kind: type, name, members: new Map(params.map((param) => [param.name, planParam(param)])) };
}

/**
 * Converts the text of a leaf to the declared type. Text that cannot be converted is kept, and the schema reports
 * it.
 */
export function convertLeaf(kind: LeafPlan["kind"], text: string): string | number | boolean {
  if (kind === "string") return text;
  const word = text.trim();
  if (kind === "boolean") {
    const lower = word.toLowerCase();
    return lower === "true" ? true : lower === "false" ? false : word;
  }
  // No number needs more characters, and the pattern is slow on long texts.
  const value = word.length <= MAX_DIGITS && NUMBER.test(word) ? Number(word) : Number.NaN;
  return Number.isFinite(value) ? value : word;
}

const MAX_DIGITS = 100;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
