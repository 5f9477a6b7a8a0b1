/**
 * @fileoverview Converts tools for models with native calls: every tool gets a JSON Schema, and names are changed to the
 * form that providers accept.
 * @module agent/conversation/context/model-tools
 */
import { z } from "zod";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { AgentToolDescription } from "../../tools/define-tool.js";
import type { ModelTool } from "../../models/model-port.js";
import { toValuesSchema } from "../../tools/tool-schema.js";

/** Tools for a model and the mapping from their names to tool names. */
export interface ModelTools {
  readonly tools: readonly ModelTool[];
  /** Tool names by the name that the model uses. */
  readonly names: ReadonlyMap<string, string>;
}

/** Converts tools. Called once per toolbox, because all conversations share the result. */
export function toModelTools(tools: readonly AgentToolDescription[]): ModelTools {
  const names = new Map<string, string>();
  const converted = tools.map((tool): ModelTool => {
    const name = findName(tool.name, names);
    names.set(name, tool.name);
    return { name, description: `${tool.description}\n${tool.whenToUse}`, parameters: toParameters(tool) };
  });
  return { tools: converted, names };
}

/** Returns the JSON Schema of a tool: its own, or one that is derived from its parameter list. */
function toParameters({ params, inputSchema }: AgentToolDescription): JsonObject {
  if (inputSchema !== undefined) return inputSchema;
  const schema: unknown = z.toJSONSchema(toValuesSchema(params), { io: "input" });
  return isJsonObject(schema) ? schema : {};
}

/** Returns an unused name. Providers accept up to 64 letters, digits, `_`, and `-`. */
function findName(name: string, taken: ReadonlyMap<string, string>): string {
  const plain = name.replace(/[^\w-]/g, "_").slice(0, 64);
  let found = plain;
  for (let count = 2; taken.has(found); count++) found = `${plain.slice(0, 60)}_${count}`;
  return found;
}
