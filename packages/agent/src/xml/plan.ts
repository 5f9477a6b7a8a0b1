/**
 * @fileoverview A tool's parameters as the tree of tags that a call of it is read by.
 * @module agent/xml/plan
 */
import type { ToolParam } from "../tools/tool-param.js";

/** A tag that holds a value. */
export interface LeafPlan {
  readonly kind: "string" | "number" | "boolean";
  readonly name: string;
}

/** A tag that holds tags of several names, each at most once. */
export interface ObjectPlan {
  readonly kind: "object";
  readonly name: string;
  readonly members: ReadonlyMap<string, Plan>;
}

/** A tag that holds any number of tags of one name. */
export interface ArrayPlan {
  readonly kind: "array";
  readonly name: string;
  readonly members: ReadonlyMap<string, Plan>;
}

/** What a tag holds. */
export type Plan = LeafPlan | ObjectPlan | ArrayPlan;

/** The plan of a whole call: the tool's tag is an object of its parameters. */
export function planTool(name: string, params: readonly ToolParam[]): ObjectPlan {
  return { kind: "object", name, members: new Map(params.map((param) => [param.name, planParam(param)])) };
}

function planParam({ name, type = "string", params = [] }: ToolParam): Plan {
  if (type !== "array" && type !== "object") return { kind: type, name };
  return { kind: type, name, members: new Map(params.map((param) => [param.name, planParam(param)])) };
}

/** A leaf's text as the value that was declared. What cannot be converted stays text, for the schema to report. */
export function convertLeaf(kind: LeafPlan["kind"], text: string): string | number | boolean {
  if (kind === "string") return text;
  const word = text.trim();
  if (kind === "boolean") {
    const lower = word.toLowerCase();
    return lower === "true" ? true : lower === "false" ? false : word;
  }
  // No number needs more characters, and the pattern is not made for long texts.
  const value = word.length <= MAX_DIGITS && NUMBER.test(word) ? Number(word) : Number.NaN;
  return Number.isFinite(value) ? value : word;
}

const MAX_DIGITS = 100;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
