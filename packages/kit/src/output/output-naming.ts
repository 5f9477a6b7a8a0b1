/**
 * @fileoverview Checks that a tool's name and output properties follow the vocabulary: `items`, `item`, `columns`,
 * `rows`, and `values`.
 * @module kit/output/output-naming
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { type Branch, readBranches } from "./output-branches.js";

/** Naming rule that a finding refers to. */
export type NamingRule =
  | "unreadable"
  | "success-type"
  | "items"
  | "item"
  | "columns"
  | "rows"
  | "values"
  | "page-token"
  | "tool-name";

/** Violation of a naming rule. */
export interface NamingFinding {
  readonly tool: string;
  readonly rule: NamingRule;
  /** Misnamed property, or the tool's name. */
  readonly at: string;
  /** Sentence that says what to change. */
  readonly message: string;
}

/** Tool to check: a module, or a definition from `tools/list`. */
export interface NamedTool {
  readonly name: string;
  readonly outputSchema?: unknown;
}

/**
 * Finds names that do not follow the vocabulary. Tools without an output schema always pass. Never throws.
 *
 * @example for (const tool of tools) for (const { message } of checkOutputNaming(tool)) console.warn(message);
 */
export function checkOutputNaming(tool: NamedTool): readonly NamingFinding[] {
  const { name, outputSchema } = tool;
  if (outputSchema === undefined) return [];
  const report = (rule: NamingRule, at: string, message: string): NamingFinding => ({
    tool: name,
    rule,
    at,
    message: `Tool "${name}": ${message}.`,
  });
  const branches = readBranches(outputSchema);
  if (branches === undefined) {
    return [report("unreadable", "outputSchema", "the output schema cannot be converted to JSON Schema")];
  }
  const successes = branches.filter(({ type }) => type !== "error" && type !== "auth_required");
  const findings = successes.flatMap((branch) => {
    const named = Object.entries(branch.properties).flatMap(([key, schema]) =>
      checkProperty({ key, schema: branch.resolve(schema), branch }, report),
    );
    // A misnamed property already explains why the expected one is missing.
    const flattened = named.length > 0 ? [] : checkFlattened(name, branch, report);
    return [...checkType(branch, report), ...named, ...flattened];
  });
  return distinct([...findings, ...checkToolName(name, successes, report)]);
}

type Report = (rule: NamingRule, at: string, message: string) => NamingFinding;

/** Checks for `type: "success"`. A branch that `select` or `shape` already identifies may omit it. */
function checkType(branch: Branch, report: Report): readonly NamingFinding[] {
  const isSelected = (branch.hasSelect || branch.hasShape) && !("type" in branch.properties);
  return branch.type === "success" || isSelected
    ? []
    : [report("success-type", "type", 'each success branch requires the property type: "success"')];
}

function checkProperty(
  { key, schema, branch }: { readonly key: string; readonly schema: JsonObject; readonly branch: Branch },
  report: Report,
): readonly NamingFinding[] {
  if (key !== "nextPageToken" && PAGE_TOKENS.test(key)) {
    return [report("page-token", key, `"${key}" is a page token; rename it to "nextPageToken"`)];
  }
  const kind = kindOf(schema, branch);
  if (key === "headers" && kind !== "other") {
    return [report("columns", key, '"headers" lists column names; rename it to "columns"')];
  }
  if (key === "values") {
    return branch.hasSelect
      ? []
      : [
          report(
            "values",
            key,
            '"values" requires a "select" property; without one, rename it to "rows" or "items"',
          ),
        ];
  }
  if (kind === "objects" && key !== "items") {
    return [report("items", key, `"${key}" is a list of objects; rename it to "items"`)];
  }
  if (kind === "table" && key !== "rows") {
    return [report("rows", key, `"${key}" is a table in row-major order; rename it to "rows"`)];
  }
  return [];
}

const PAGE_TOKENS = /^(next_?(page_?)?(token|cursor)|(page_?)?cursor|next_?page|continuation_?token)$/i;

/** Checks that a single object is wrapped in `item`, not spread next to `type` or given a different name. */
function checkFlattened(name: string, branch: Branch, report: Report): readonly NamingFinding[] {
  const keys = Object.keys(branch.properties).filter((key) => !PLAIN.includes(key));
  if (!name.endsWith("-get") || keys.some((key) => VOCABULARY.includes(key)) || keys.length === 0) return [];
  const [only = ""] = keys;
  const isWrapped = keys.length === 1 && branch.resolve(branch.properties[only])["type"] === "object";
  return isWrapped
    ? [report("item", only, `"${only}" is a single object; rename it to "item"`)]
    : [report("item", keys.join(", "), 'the output is a single object; wrap it in an "item" property')];
}

const PLAIN: readonly string[] = ["type", "shape", "select", "nextPageToken", "hint"];
const VOCABULARY: readonly string[] = ["items", "item", "columns", "rows", "values"];

/** Patterns for tool names, by output property. */
const NAMES: readonly (readonly [key: string, pattern: RegExp, say: string])[] = [
  ["items", /^.+-(search|list)$/, "{resource}-search or {resource}-list"],
  ["item", /^.+-get$/, "{resource}-get"],
  ["columns", /^(.+-)?(columns-get|get-columns)$/, "columns-get"],
  ["rows", /^(.+-)?rows-(get|append)$/, "rows-get or rows-append"],
];

/** Checks the tool's name against the first matching property. A result with two shapes counts as `items`. */
function checkToolName(name: string, branches: readonly Branch[], report: Report): readonly NamingFinding[] {
  const keys = branches.flatMap(({ properties }) => Object.keys(properties));
  const rule = NAMES.find(([key]) => keys.includes(key));
  if (rule === undefined || keys.includes("values")) return [];
  const [key, pattern, say] = rule;
  // A table may also include its column names. With a `shape`, it is the compact form of a list.
  const patterns = [
    pattern,
    ...(key === "columns" && keys.includes("rows") ? [ROWS_NAME] : []),
    ...(branches.some(({ hasShape }) => hasShape) ? [LIST_NAME] : []),
  ];
  if (patterns.some((one) => one.test(name))) return [];
  return [report("tool-name", name, `rename the tool to ${say}, because it returns "${key}"`)];
}

const LIST_NAME = /^.+-(search|list)$/;
const ROWS_NAME = /^(.+-)?rows-(get|append)$/;

type Kind = "objects" | "table" | "list" | "other";

function kindOf(schema: JsonObject, { resolve }: Branch): Kind {
  if (schema["type"] !== "array") return "other";
  const item = resolve(schema["items"]);
  if (item["type"] === "array") return "table";
  const options = [item["anyOf"], item["oneOf"]].find(Array.isArray) ?? [];
  const isObject = (one: unknown) => isJsonObject(one) && resolve(one)["type"] === "object";
  return isObject(item) || (options.length > 0 && options.every(isObject)) ? "objects" : "list";
}

function distinct(findings: readonly NamingFinding[]): readonly NamingFinding[] {
  return [...new Map(findings.map((one) => [`${one.rule} ${one.at}`, one])).values()];
}
