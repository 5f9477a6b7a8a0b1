/**
 * @fileoverview Tools, resources and prompts as each revision can describe them. Runs at build only.
 * @module protocol/revisions/project-definitions
 */
import { isJsonObject, type JsonObject } from "../../internal/json.js";
import type {
  Implementation,
  PromptDefinition,
  ResourceDefinition,
  ResourceTemplateDefinition,
  ToolDefinition,
} from "../definitions.js";
import type { Traits } from "./revision.js";

/** A tool as `traits` can tell it. */
export function projectTool(tool: ToolDefinition, traits: Traits): JsonObject {
  const { annotations, outputSchema, ...rest } = tool;
  return {
    ...projectDescribed(rest, traits),
    ...(traits.structured && outputSchema !== undefined
      ? {
          outputSchema:
            traits.stateless || isObjectSchema(outputSchema) ? outputSchema : wrapSchema(outputSchema),
        }
      : {}),
    ...(traits.annotations && annotations !== undefined ? { annotations } : {}),
  };
}

/** A resource, template or prompt as `traits` can tell it. */
export function projectDescribed(
  definition:
    | PromptDefinition
    | ResourceDefinition
    | ResourceTemplateDefinition
    | Omit<ToolDefinition, "annotations" | "outputSchema">,
  traits: Traits,
): JsonObject {
  const { title, icons, _meta, ...rest } = definition;
  return {
    ...rest,
    ...(traits.structured && title !== undefined ? { title } : {}),
    ...(traits.icons && icons !== undefined ? { icons } : {}),
    ...(traits.structured && _meta !== undefined ? { _meta } : {}),
  };
}

/** A server's own card as `traits` can tell it. */
export function projectImplementation(info: Implementation, traits: Traits): JsonObject {
  const { name, version, title, ...rest } = info;
  return {
    name,
    version,
    ...(traits.structured && title !== undefined ? { title } : {}),
    ...(traits.icons ? rest : {}),
  };
}

/** Whether every value of the schema is an object, which is all that the legacy eras let a tool give back. */
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
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === "$ref" && typeof member === "string" && /^#(\/|$)/.test(member)
        ? `#/properties/result${member.slice(1)}`
        : moveReferences(member),
    ]),
  );
}
