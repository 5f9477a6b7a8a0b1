/**
 * @fileoverview How to walk a JSON Schema: which keywords hold data, and which hold maps of schemas by name.
 * @module internal/schema-keywords
 */

/** Keywords whose values are data, whatever they look like. */
export const DATA_KEYWORDS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "const",
  "default",
  "enum",
  "examples",
  "required",
  "dependentRequired",
  "$vocabulary",
]);

/** Keywords whose values map names to schemas: the names are no keywords. */
export const MAP_KEYWORDS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);
