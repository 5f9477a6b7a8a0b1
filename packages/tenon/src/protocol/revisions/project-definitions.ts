/**
 * @fileoverview Tools, resources and prompts as each revision can describe them. Runs at build only.
 * @module protocol/revisions/project-definitions
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { DATA_KEYWORDS, MAP_KEYWORDS } from "@tenon/internal/schema-keywords";
import type {
  Implementation,
  McpPromptDefinition,
  McpResourceDefinition,
  McpResourceTemplateDefinition,
  McpToolDefinition,
} from "../definitions.js";
import type { Traits } from "./revision.js";

/** A tool as `traits` can tell it. */
export function projectTool(tool: McpToolDefinition, traits: Traits): JsonObject {
  const { annotations, outputSchema, ...rest } = tool;
  return {
    ...projectDescribed(rest, traits),
    ...(traits.structuredOutput && outputSchema !== undefined
      ? {
          outputSchema:
            traits.anyOutputType || isObjectSchema(outputSchema) ? outputSchema : wrapSchema(outputSchema),
        }
      : {}),
    ...(traits.toolAnnotations && annotations !== undefined ? { annotations } : {}),
  };
}

/** A resource, template or prompt as `traits` can tell it. */
export function projectDescribed(
  definition:
    | McpPromptDefinition
    | McpResourceDefinition
    | McpResourceTemplateDefinition
    | Omit<McpToolDefinition, "annotations" | "outputSchema">,
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

/** A server's own card as `traits` can tell it. */
export function projectImplementation(info: Implementation, traits: Traits): JsonObject {
  const { name, version, title, ...rest } = info;
  return {
    name,
    version,
    ...(traits.titles && title !== undefined ? { title } : {}),
    ...(traits.implementationDetails ? rest : {}),
  };
}

/** Checks whether every value of a schema is an object, the only tool output of the legacy eras. */
export function isObjectSchema(schema: JsonObject): boolean {
  return schema["type"] === "object";
}

/** `{ result: … }` around an output that is no object; references into the schema move along with it. */
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
  // A schema with an `$id` is a document of its own: its references start there and stay.
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
