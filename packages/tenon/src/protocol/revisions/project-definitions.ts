/**
 * @fileoverview Projects definitions to the members that a revision supports. Runs only at build time.
 * @module tenon/protocol/revisions/project-definitions
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { DATA_KEYWORDS, MAP_KEYWORDS } from "@tenon/internal/schema/keywords";
import type {
  Implementation,
  McpPromptDefinition,
  McpResourceDefinition,
  McpResourceTemplateDefinition,
  McpToolDefinition,
} from "../definitions.js";
import type { Traits } from "./revision.js";

/** Projects a tool definition to `traits`. */
export function projectTool(tool: McpToolDefinition, traits: Traits): JsonObject {
  const { annotations, outputSchema, execution, ...rest } = tool;
  return {
    ...projectDescribed(rest, traits),
    ...(traits.structuredOutput && outputSchema !== undefined
      ? {
          outputSchema:
            traits.anyOutputType || isObjectSchema(outputSchema) ? outputSchema : wrapSchema(outputSchema),
        }
      : {}),
    ...(traits.toolAnnotations && annotations !== undefined ? { annotations } : {}),
    ...(traits.toolExecution && execution !== undefined ? { execution } : {}),
  };
}

/** Projects a resource, template, or prompt definition to `traits`. */
export function projectDescribed(
  definition:
    | McpPromptDefinition
    | McpResourceDefinition
    | McpResourceTemplateDefinition
    | Omit<McpToolDefinition, "annotations" | "outputSchema" | "execution">,
  traits: Traits,
): JsonObject {
  const { title, icons, _meta, ...rest } = definition;
  return {
    ...rest,
    ...("arguments" in rest && !traits.titles
      ? { arguments: rest.arguments?.map(({ title: _, ...argument }) => argument) }
      : {}),
    ...(traits.titles && title !== undefined ? { title } : {}),
    ...(traits.icons && icons !== undefined ? { icons } : {}),
    ...(traits.definitionMeta && _meta !== undefined ? { _meta } : {}),
  };
}

/** Projects server information to `traits`. */
export function projectImplementation(info: Implementation, traits: Traits): JsonObject {
  const { name, version, title, ...rest } = info;
  return {
    name,
    version,
    ...(traits.titles && title !== undefined ? { title } : {}),
    ...(traits.implementationDetails ? rest : {}),
  };
}

/** Returns true if a schema accepts only objects, the only tool output that legacy revisions support. */
export function isObjectSchema(schema: JsonObject): boolean {
  return schema["type"] === "object";
}

/** Wraps a non-object output schema in `{ result: … }` and adjusts its references. */
function wrapSchema(schema: JsonObject): JsonObject {
  const { $schema, ...inner } = schema;
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: "object",
    properties: { result: moveReferences(inner) },
    required: ["result"],
  };
}

function moveReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moveReferences);
  // References inside a schema with an `$id` are relative to that schema.
  if (!isJsonObject(value) || typeof value["$id"] === "string") return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, moveMember(key, member)]));
}

function moveMember(key: string, member: unknown): unknown {
  if (typeof member === "string" && (key === "$ref" || key === "$dynamicRef")) {
    return /^#(\/|$)/.test(member) ? `#/properties/result${member.slice(1)}` : member;
  }
  if (DATA_KEYWORDS.has(key)) return member;
  if (!MAP_KEYWORDS.has(key) || !isJsonObject(member)) return moveReferences(member);
  return Object.fromEntries(Object.entries(member).map(([name, schema]) => [name, moveReferences(schema)]));
}
