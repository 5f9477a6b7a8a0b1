/**
 * @fileoverview Finds the actions of a grouped tool: one tool with a required argument that selects what it does.
 * @module cli/page-app/state/tools/tool-actions
 */
import { isJsonObject } from "@tenon/internal/json";

/** Actions of a grouped tool. */
export interface ToolActions {
  /** Argument that selects the action. */
  readonly argument: string;
  readonly names: readonly string[];
}

/** Names of arguments that select an action. */
const ARGUMENTS = ["action", "operation", "command"] as const;
const MAX_ACTIONS = 200;

/** Returns the actions of a tool with this input schema, or `undefined` if it is not a grouped tool. */
export function findActions(schema: unknown): ToolActions | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { properties, required } = schema;
  if (!isJsonObject(properties) || !Array.isArray(required)) return undefined;
  const isRequired = (name: string) => required.some((one: unknown) => one === name);
  for (const argument of ARGUMENTS) {
    const property = Object.hasOwn(properties, argument) ? properties[argument] : undefined;
    if (!isRequired(argument) || !isJsonObject(property)) continue;
    const values: readonly unknown[] = Array.isArray(property["enum"]) ? property["enum"] : [];
    const names = values.filter((value) => typeof value === "string");
    if (names.length >= 2 && names.length === values.length && names.length <= MAX_ACTIONS)
      return { argument, names: [...new Set(names)] };
  }
  return undefined;
}
