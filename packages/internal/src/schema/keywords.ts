/**
 * @fileoverview JSON Schema keywords whose values are not schemas. Code that walks a schema must handle them separately.
 * @module internal/schema/keywords
 */

/** Keywords whose values are data, even if they look like schemas. */
export const DATA_KEYWORDS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "const",
  "default",
  "enum",
  "examples",
  "required",
  "dependentRequired",
  "$vocabulary",
]);

/** Keywords whose values map names to schemas. The names are not keywords. */
export const MAP_KEYWORDS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);
