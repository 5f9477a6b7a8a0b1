/**
 * @fileoverview Reads the alternatives in an output schema.
 * @module kit/output/output-branches
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { parsePointer, valueAt } from "@tenon/internal/schema/json-pointer";
import { read } from "@tenon/internal/security/safe-text";

/** One alternative in a result. */
export interface Branch {
  /** Constant value of the `type` property, or `undefined` if it is not constant. */
  readonly type: string | undefined;
  /** True if the branch has a `select` property. */
  readonly hasSelect: boolean;
  /** True if a constant `shape` distinguishes objects from arrays. */
  readonly hasShape: boolean;
  readonly properties: JsonObject;
  /** Resolves a subschema's references. Returns an empty schema if they cannot be resolved. */
  readonly resolve: (schema: unknown) => JsonObject;
}

/** Returns a schema's alternatives, or `undefined` if it cannot be converted to JSON Schema. */
export function readBranches(schema: unknown): readonly Branch[] | undefined {
  const root = toJsonSchema(schema);
  if (root === undefined) return undefined;
  const resolve = (part: unknown) => follow(root, part);
  // Some libraries wrap the whole result in `{ result }`.
  const top = resolve(root);
  const { properties } = top;
  const keys = isJsonObject(properties) ? Object.keys(properties) : [];
  const inner = isJsonObject(properties) && keys.join() === "result" ? resolve(properties["result"]) : top;
  return alternatives(inner, resolve).map((branch) => toBranch(branch, resolve));
}

const MAX_BRANCHES = 100;
const MAX_DEPTH = 10;
const MAX_HOPS = 20;

function toBranch(schema: JsonObject, resolve: Branch["resolve"]): Branch {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const constantOf = (key: string): string | undefined => {
    const value = resolve(properties[key])["const"];
    return typeof value === "string" ? value : undefined;
  };
  return {
    type: constantOf("type"),
    hasSelect: "select" in properties,
    hasShape: constantOf("shape") !== undefined,
    properties,
    resolve,
  };
}

/** Flattens nested alternatives. Depth and count are limited, because a schema may contain itself. */
function alternatives(top: JsonObject, resolve: Branch["resolve"]): readonly JsonObject[] {
  const found: JsonObject[] = [];
  const visit = (schema: JsonObject, depth: number): void => {
    const options = [schema["oneOf"], schema["anyOf"]].find(Array.isArray);
    if (options === undefined || depth >= MAX_DEPTH) {
      found.push(schema);
      return;
    }
    for (const option of options) {
      if (found.length >= MAX_BRANCHES) return;
      visit(resolve(option), depth + 1);
    }
  };
  visit(top, 0);
  return found;
}

/** Returns JSON Schema unchanged, or converts a library's schema. */
function toJsonSchema(schema: unknown): JsonObject | undefined {
  const convert = read(read(read(schema, "~standard"), "jsonSchema"), "output");
  if (typeof convert !== "function") {
    return isJsonObject(schema) && !("~standard" in schema) ? schema : undefined;
  }
  try {
    const converted: unknown = convert({ target: "draft-2020-12" });
    return isJsonObject(converted) ? converted : undefined;
  } catch {
    return undefined;
  }
}

/** Follows a limited number of references, because a schema may be circular. */
function follow(root: JsonObject, part: unknown): JsonObject {
  let current = part;
  for (let hops = 0; hops < MAX_HOPS && isJsonObject(current); hops++) {
    const reference = current["$ref"];
    if (typeof reference !== "string") return current;
    current = valueAt(root, parsePointer(reference));
  }
  return {};
}
