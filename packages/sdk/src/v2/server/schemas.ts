/**
 * @fileoverview Schemas that version 2 accepts: Standard Schemas that convert themselves to JSON Schema, and raw shapes
 * of Zod 4 schemas.
 * @module sdk/v2/server/schemas
 */
import { type CompiledSchema, compileSchema as compileAny, type Issue, isStandardSchema } from "tenon/host";
import { isJsonObject, isPlainObject, type JsonObject } from "@tenon/internal/json";
import { toObjectSchema, toStandardSchema } from "../../mcp-server/registrations/zod-schemas.js";
import type { AnySchema, Shape } from "../../mcp-server/requests/types.js";

/** Returns the schema of a registration. A raw shape is wrapped in an object schema. @throws for any other value */
export function toSchema(given: unknown): AnySchema | undefined {
  if (given === undefined) return undefined;
  if (isStandardSchema(given)) return given as unknown as AnySchema; // Safe: the core only uses the Standard Schema
  // Safe: every field was checked
  if (isPlainObject(given) && Object.values(given).every(isZod4)) return toObjectSchema(given as Shape);
  if (isJsonObject(given) && Object.values(given).some((field) => isJsonObject(field) && "_def" in field)) {
    throw new TypeError(
      "A raw shape must contain only Zod 4 schemas; got a Zod 3 schema. Upgrade to Zod 4, or import from `zod/v4`.",
    );
  }
  throw new TypeError(
    "`inputSchema`, `outputSchema`, and `argsSchema` must be a Standard Schema (such as z.object({ … })) or a raw shape of Zod schemas.",
  );
}

function isZod4(field: unknown): boolean {
  return typeof field === "object" && field !== null && "_zod" in field;
}

/** Compiled schemas. A factory that runs for every request compiles schemas outside of it only once. */
const compiled = /* @__PURE__ */ new WeakMap<object, Partial<Record<"input" | "output", CompiledSchema>>>();

/** Compiles a schema. An input schema must describe an object. */
export function compileSchema(schema: AnySchema, label: string, side: "input" | "output"): CompiledSchema {
  const known = compiled.get(schema) ?? {};
  const found = known[side];
  if (found !== undefined) return found;
  const made = compileAny(toStandardSchema(schema), { label, side });
  const { jsonSchema } = made;
  const isObject = jsonSchema["type"] === undefined && (side === "input" || isObjectRoot(jsonSchema));
  const result = isObject ? { ...made, jsonSchema: { type: "object", ...jsonSchema } } : made;
  compiled.set(schema, { ...known, [side]: result });
  return result;
}

/** Returns true if a schema without a type accepts only objects. */
function isObjectRoot(schema: JsonObject): boolean {
  if (["properties", "patternProperties", "additionalProperties", "required"].some((key) => key in schema))
    return true;
  const members = [schema["oneOf"], schema["anyOf"], schema["allOf"]].find(Array.isArray);
  return (
    members !== undefined &&
    members.length > 0 &&
    members.every((one: unknown) => isJsonObject(one) && (one["type"] === "object" || isObjectRoot(one)))
  );
}

/** Describes validation issues in one line. Lists at most 50. */
export function describeIssues(issues: readonly Issue[]): string {
  const shown = issues.slice(0, MAX_ISSUES).map(({ path = [], message }) => {
    const where = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
    return where === "" ? message : `${where}: ${message}`;
  });
  if (issues.length > MAX_ISSUES) shown.push(`and ${issues.length - MAX_ISSUES} more`);
  return shown.join(", ");
}

/** Maximum number of issues in a reply. Bounds the reply even if a request contains a million invalid items. */
const MAX_ISSUES = 50;
