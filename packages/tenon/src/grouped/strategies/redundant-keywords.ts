/**
 * @fileoverview Removes keywords that schema libraries generate and that tell the model nothing: the library's own
 * pattern next to a format, and the limits of safe integers. Calls are checked against the original schema.
 * @module tenon/grouped/strategies/redundant-keywords
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { DATA_KEYWORDS, MAP_KEYWORDS } from "@tenon/internal/schema/keywords";

/** Removes redundant keywords at any depth. Patterns and limits that a developer wrote are kept. */
export function dropRedundantKeywords(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([keyword]) => !isRedundant(schema, keyword));
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (DATA_KEYWORDS.has(keyword)) return [keyword, value];
      return [keyword, MAP_KEYWORDS.has(keyword) ? mapMembers(value) : dropInside(value)];
    }),
  );
}

function dropInside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropInside);
  return isJsonObject(value) ? dropRedundantKeywords(value) : value;
}

function mapMembers(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, dropInside(member)]));
}

function isRedundant(schema: JsonObject, keyword: string): boolean {
  switch (keyword) {
    case "pattern":
      return isLibraryPattern(schema["format"], schema["pattern"]);
    case "maximum":
      return schema["type"] === "integer" && schema["maximum"] === Number.MAX_SAFE_INTEGER;
    case "minimum":
      return schema["type"] === "integer" && schema["minimum"] === Number.MIN_SAFE_INTEGER;
    default:
      return false;
  }
}

function isLibraryPattern(format: unknown, pattern: unknown): boolean {
  if (typeof format !== "string" || typeof pattern !== "string") return false;
  return LIBRARY_PATTERNS.has(`${format} ${pattern.length} ${digest(pattern)}`);
}

/**
 * Format, length, and digest of patterns that only repeat their format. Stricter patterns, such as a date-time without
 * an offset or a single UUID version, are not listed. Patterns that are not listed are kept.
 */
const LIBRARY_PATTERNS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  // Zod 4
  "date 203 jfcwfw",
  "date-time 288 6uman1", // with `offset: true`
  "duration 93 17hqtu3",
  "email 102 t229pf",
  "email 96 1f890q6", // earlier releases
  "hostname 118 psijn5",
  "ipv4 115 95nm64",
  "ipv6 380 yu8fpq",
  "uuid 166 9ykkec",
  // ArkType 2
  "email 39 uqubpm",
]);

/** Returns the 32-bit FNV-1a hash of a text, in base 36. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
