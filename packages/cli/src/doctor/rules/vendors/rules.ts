/**
 * @fileoverview Rules for schemas that some model APIs reject.
 * @module cli/doctor/rules/vendors/rules
 */
import { filled, inputRule, objectsOf, toolRule } from "../../item-rule.js";
import { placeOf, show, sameFor, listNames } from "../../facts/place.js";
import { propertiesOf, type SchemaNode, typesOf } from "../../facts/schema-nodes.js";
import type { Rule, Problem, Severity } from "../../rule.js";

/** Rules for schemas that some model APIs reject, in the order of the documentation. */
export const VENDOR_RULES: readonly Rule[] = [
  // Reports names of top-level properties that Claude's API rejects.
  {
    id: "property-names",
    severity: "error",
    title: "Property name that Claude's API rejects",
    *check({ tools }) {
      for (const { input, place } of tools) {
        for (const [name] of propertiesOf(input)) {
          if (/^[a-zA-Z0-9_.-]{1,64}$/.test(name)) continue;
          yield {
            place: placeOf(place, "inputSchema", "properties", name),
            message: `The property name ${show(name)} must consist of 1 to 64 letters, digits, and the characters _ . -. Claude's API rejects every request with such a tool.`,
            fix: "Rename the property, and map it to the original name in the handler.",
          };
        }
      }
    },
  },
  // Reports patterns with lookahead or lookbehind, for which OpenAI's API and llama.cpp reject the whole request.
  inputRule({
    id: "pattern-lookaround",
    severity: "error",
    title: "Lookahead or lookbehind in a pattern",
    find: ({ schema: { pattern } }) => typeof pattern === "string" && hasLookaround(pattern),
    place: ({ place }) => placeOf(place, "pattern"),
    message:
      "The pattern uses lookahead or lookbehind. OpenAI's API and llama.cpp reject every request with such a tool.",
    fix: "Use a simpler pattern, and check the rest in the handler. Zod adds such a pattern for `z.email()`: use `z.string()`.",
  }),
  // Reports patterns that JavaScript cannot compile. Clients that validate with them fail.
  {
    id: "pattern-invalid",
    severity: "error",
    title: "Invalid pattern",
    *check({ tools }) {
      for (const { inputNodes, outputNodes } of tools) {
        yield* checkPatterns(inputNodes, "warning");
        // The official SDK compiles output schemas as soon as it has read the list.
        yield* checkPatterns(outputNodes, "error");
      }
    },
  },
  // Reports JSON Schema keywords that Gemini's function declarations do not have. One finding per tool.
  toolRule({
    id: "vendor-keywords",
    severity: "warning",
    title: "Keyword that the Gemini API rejects",
    find: ({ inputNodes }) =>
      filled(
        objectsOf(inputNodes).flatMap(({ schema, place }) =>
          KEYWORDS.filter((keyword) => schema[keyword] !== undefined).map((keyword) => ({ keyword, place })),
        ),
      ),
    place: (_, [first]) => first.place,
    message: (_, found) =>
      `The input schema uses ${[...new Set(found.map(({ keyword }) => `\`${keyword}\``))].join(", ")}. Clients that pass the schema to the Gemini API as \`parameters\` get an error for every request.`,
    fix: "State the constraint in the description, and check it in the handler. Use `enum` with one value instead of `const`.",
  }),
  // Reports lists in `type`, which Gemini's function declarations do not allow. One finding per tool.
  toolRule({
    id: "type-union",
    severity: "warning",
    title: "List of types",
    find: ({ inputNodes }) =>
      filled(objectsOf(inputNodes).filter(({ schema }) => Array.isArray(schema["type"]))),
    place: (_, [first]) => first.place,
    message: (_, found) =>
      `\`type\` is a list of types.${sameFor(found.length - 1, "schema", " of this tool")} Clients that pass the schema to the Gemini API as \`parameters\` get an error for every request.`,
    fix: 'Use one type. For a value that may be missing, leave the property out of `required` instead of adding "null".',
  }),
  // Reports formats of strings that OpenAI's API rejects. One finding per tool.
  toolRule({
    id: "string-format",
    severity: "warning",
    title: "Format that model APIs reject",
    find: ({ inputNodes }) =>
      filled(
        objectsOf(inputNodes).flatMap(({ schema, place }) => {
          const { format } = schema;
          const isRejected =
            typesOf(schema).includes("string") && typeof format === "string" && !ACCEPTED.has(format);
          return isRejected ? [{ format, place }] : [];
        }),
      ),
    place: (_, [first]) => first.place,
    message: (_, found) =>
      `The input schema uses the format ${listNames([...new Set(found.map(({ format }) => format))])}. OpenAI's and Gemini's APIs reject formats that they do not know.`,
    fix: "Remove `format`, state the form in the description, and check it in the handler.",
  }),
];

/** Returns true if a regular expression contains `(?=`, `(?!`, `(?<=`, or `(?<!` outside a character class. */
export function hasLookaround(pattern: string): boolean {
  let isInClass = false;
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index];
    if (character === "\\") index++;
    else if (isInClass) isInClass = character !== "]";
    else if (character === "[") isInClass = true;
    else if (character === "(" && /^\(\?<?[=!]/.test(pattern.slice(index, index + 4))) return true;
  }
  return false;
}

/** @param severity severity of patterns that are valid only without the flag `u` */
function* checkPatterns(nodes: readonly SchemaNode[], severity: Severity): Iterable<Problem> {
  for (const { schema, place } of nodes) {
    const pattern = typeof schema === "boolean" ? undefined : schema["pattern"];
    if (typeof pattern !== "string" || pattern.length > MAX_LENGTH || compiles(pattern, "u")) continue;
    const isValidOnce = compiles(pattern, "");
    yield {
      place: placeOf(place, "pattern"),
      severity: isValidOnce ? severity : "error",
      message: isValidOnce
        ? "The pattern is not valid with the flag `u` of JavaScript, with which validators compile it. Clients that validate fail."
        : "The pattern is not a valid regular expression in JavaScript. Clients that compile the schema fail.",
      fix: "Remove escapes that are not needed, such as `\\:`, and features of other languages, such as `(?i)` and `(?P<name>`.",
    };
  }
}

/** Maximum length of a pattern that is compiled, in characters. */
const MAX_LENGTH = 10_000;

function compiles(pattern: string, flags: string): boolean {
  try {
    return new RegExp(pattern, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

/** Keywords in public reports of rejected requests. */
const KEYWORDS = /* @__PURE__ */ (
  "const not if then else patternProperties propertyNames dependentRequired dependentSchemas " +
  "dependencies prefixItems contains unevaluatedProperties unevaluatedItems exclusiveMinimum " +
  "exclusiveMaximum"
).split(" ");

/** Formats that OpenAI documents for tools. */
const ACCEPTED: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ "date-time time date duration email hostname ipv4 ipv6 uuid".split(" "),
);
