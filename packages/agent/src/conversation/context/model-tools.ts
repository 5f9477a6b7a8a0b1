/**
 * @fileoverview Converts tools for providers with native calls: JSON Schema for the parameters, and names that the
 * providers accept.
 * @module agent/conversation/model-tools
 */
import { z } from "zod";
import { isJsonObject } from "@tenon/internal/json";
import type { AgentToolDescription } from "../../tools/define-tool.js";
import type { ModelTool } from "../../models/model-port.js";
import { toParamsSchema } from "../../tools/tool-schema.js";

/** Tools for a model, and the mapping of their names. */
export interface ModelTools {
  readonly tools: readonly ModelTool[];
  /** Maps names that the model sees to tool names. */
  readonly names: ReadonlyMap<string, string>;
}

/** Converts tools. Done once, because all conversations share them. */
export function toModelTools(tools: readonly AgentToolDescription[]): ModelTools {
  const names = new Map<string, string>();
  const converted = tools.map((tool): ModelTool => {
    const name = findName(tool.name, names);
    names.set(name, tool.name);
    const schema: unknown = z.toJSONSchema(toParamsSchema(tool.params), { io: "input" });
    const parameters = isJsonObject(schema) ? schema : {};
    return { name, description: `${tool.description}\n${tool.whenToUse}`, parameters };
  });
  return { tools: converted, names };
}

/** Finds a free name. Providers accept letters, digits, `_` and `-`, and at most 64 characters. */
function findName(name: string, taken: ReadonlyMap<string, string>): string {
  const plain = name.replace(/[^\w-]/g, "_").slice(0, 64);
  let found = plain;
  for (let count = 2; taken.has(found); count++) found = `${plain.slice(0, 60)}_${count}`;
  return found;
}
