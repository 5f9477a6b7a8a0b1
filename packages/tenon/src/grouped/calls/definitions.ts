/**
 * @fileoverview Creates the definitions that clients see: one for the whole grouped tool, or one per action.
 * @module tenon/grouped/calls/definitions
 */
import { frozenCopy } from "@tenon/internal/deep-freeze";
import type { JsonObject } from "@tenon/internal/json";
import { type McpToolDefinition } from "../../protocol/index.js";
import { RETURN_DIRECT_META } from "../../protocol/definitions.js";
import type { ActionFacts } from "../actions/action.js";
import type { AggregatedAnnotations } from "../strategies/annotation-aggregator.js";
import { generateDescription } from "../strategies/description-generator.js";
import { dropRedundantKeywords } from "../strategies/redundant-keywords.js";
import { joinDefinitions } from "../strategies/references.js";
import { fieldsOf, joinFields, toActionSchema, toCommonSchema } from "../strategies/schema-utils.js";
import { generateToonDescription } from "../strategies/toon-description-generator.js";
import type { ToolFacts } from "./tool-plan.js";

/** Creates the frozen definition for the tool that contains all actions. */
export function defineGroupedTool(tool: ToolFacts): McpToolDefinition {
  const { name, actions, commonSchema, discriminator, hasGroup, strategies, toon } = tool;
  const { requiredFields } = strategies;
  const listsFields = hasGroup && hasOwnDescription(tool);
  const shared = { actions, hasGroup, commonSchema };
  const described = { ...shared, name, description: tool.description, requiredFields, listsFields };
  // If the description lists each action's fields, the schema does not repeat the actions.
  const fieldMarks = !listsFields ? "actions" : toon === undefined ? "modules" : "common";
  const inputSchema = dropRedundantKeywords(strategies.inputSchema({ ...shared, discriminator, fieldMarks }));
  return frozenCopy({
    name,
    description:
      toon === undefined ? strategies.description(described) : strategies.toonDescription(described, toon),
    inputSchema: tool.strict ? { ...inputSchema, additionalProperties: false } : inputSchema,
    ...toHints(strategies.annotations(actions, tool.annotations)),
  });
}

/** Returns true if Tenon generates the description. A custom strategy may not list each action's fields. */
function hasOwnDescription({ strategies, toon }: ToolFacts): boolean {
  return toon === undefined
    ? strategies.description === generateDescription
    : strategies.toonDescription === generateToonDescription;
}

/**
 * Creates the frozen definition for one action as a separate tool. The builder's explicit title describes the whole
 * tool, so it is omitted.
 */
export function defineFlatTool(tool: ToolFacts, action: ActionFacts): McpToolDefinition {
  const { title: _title, ...explicit } = tool.annotations;
  const inputSchema = mergeFields(tool, action);
  return frozenCopy({
    name: flatName(tool.name, action),
    ...(action.description === undefined ? {} : { description: action.description }),
    inputSchema: tool.strict ? { ...inputSchema, additionalProperties: false } : inputSchema,
    ...toHints(tool.strategies.annotations([action], explicit)),
  });
}

/** Returns the tool name for a separate action: `users_create`, or `platform_users_create` for one in a group. */
export function flatName(tool: string, { groupName, actionName }: ActionFacts): string {
  return [tool, ...(groupName === undefined ? [] : [groupName]), actionName].join("_");
}

/** Merges the common fields with the action's own fields. */
function mergeFields({ commonSchema }: ToolFacts, action: ActionFacts): JsonObject {
  const { schemas, definitions } = joinDefinitions([
    { owner: "common", schema: commonSchema === undefined ? {} : toCommonSchema(commonSchema) },
    { owner: action.key, schema: toActionSchema(action) },
  ]);
  const [common = [], own = []] = schemas.map(fieldsOf);
  const fields = joinFields(common, own);
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(({ name, definition }) => [name, definition])),
    ...(required.length === 0 ? {} : { required }),
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  };
}

/** Converts hints to MCP annotations. MCP does not define `returnDirect`, so it is sent in `_meta`. */
function toHints({ returnDirect, ...annotations }: AggregatedAnnotations): Partial<McpToolDefinition> {
  return {
    annotations,
    ...(returnDirect === undefined ? {} : { _meta: { [RETURN_DIRECT_META]: returnDirect } }),
  };
}
