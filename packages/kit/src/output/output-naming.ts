/**
 * @fileoverview Whether a tool's result and its name keep to the vocabulary: `items`, `item`, `columns`, `rows`,
 * `values`. It reads what clients see, and finds fault without ever failing.
 * @module kit/output-naming
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { type Branch, readBranches } from "./output-branches.js";

/** Rule that a name breaks. */
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

/** One thing that could be named better. */
export interface NamingFinding {
  readonly tool: string;
  readonly rule: NamingRule;
  /** The property that it is about; the tool's name where it is about that. */
  readonly at: string;
  /** What to do, in one sentence. */
  readonly message: string;
}

/** Tool to check: a module, or a definition as clients see it. */
export interface NamedTool {
  readonly name: string;
  readonly outputSchema?: unknown;
}

/**
 * Finds names outside the vocabulary. A tool without an output schema has no findings.
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
    message: `Tool "${name}": ${message}`,
  });
  const branches = readBranches(outputSchema);
  if (branches === undefined) {
    return [report("unreadable", "outputSchema", "its output schema cannot be read as JSON Schema")];
  }
  const successes = branches.filter(({ type }) => type !== "error" && type !== "auth_required");
  const findings = successes.flatMap((branch) => {
    const named = Object.entries(branch.properties).flatMap(([key, schema]) =>
      checkProperty({ key, schema: branch.resolve(schema), branch }, report),
    );
    // A property of a wrong name is reason enough why the right one is not there.
    const flattened = named.length > 0 ? [] : checkFlattened(name, branch, report);
    return [...checkType(branch, report), ...named, ...flattened];
  });
  return distinct([...findings, ...checkToolName(name, successes, report)]);
}

type Report = (rule: NamingRule, at: string, message: string) => NamingFinding;

function checkType({ type }: Branch, report: Report): readonly NamingFinding[] {
  return type === "success" ? [] : [report("success-type", "type", 'a success has type: "success"')];
}

function checkProperty(
  { key, schema, branch }: { readonly key: string; readonly schema: JsonObject; readonly branch: Branch },
  report: Report,
): readonly NamingFinding[] {
  if (key !== "nextPageToken" && PAGE_TOKENS.test(key)) {
    return [report("page-token", key, `"${key}" should be "nextPageToken"`)];
  }
  const kind = kindOf(schema, branch);
  if (key === "headers" && kind !== "other") {
    return [report("columns", key, '"headers" should be "columns"')];
  }
  if (key === "values") {
    return branch.hasSelect
      ? []
      : [
          report(
            "values",
            key,
            '"values" is for what a `select` argument decides; otherwise use "rows" or "items"',
          ),
        ];
  }
  if (kind === "objects" && key !== "items") {
    return [report("items", key, `"${key}" is a list of objects and should be "items"`)];
  }
  if (kind === "table" && key !== "rows") {
    return [report("rows", key, `"${key}" is a table, row by row, and should be "rows"`)];
  }
  return [];
}

const PAGE_TOKENS = /^(next_?(page_?)?(token|cursor)|(page_?)?cursor|next_?page|continuation_?token)$/i;

/** One thing goes under `item`: its members do not stand beside `type`, nor under a name of its own. */
function checkFlattened(name: string, branch: Branch, report: Report): readonly NamingFinding[] {
  const keys = Object.keys(branch.properties).filter((key) => !PLAIN.includes(key));
  if (!name.endsWith("-get") || keys.some((key) => VOCABULARY.includes(key)) || keys.length === 0) return [];
  const [only = ""] = keys;
  const isWrapped = keys.length === 1 && branch.resolve(branch.properties[only])["type"] === "object";
  return isWrapped
    ? [report("item", only, `"${only}" is one object and should be "item"`)]
    : [report("item", keys.join(", "), 'the object should be wrapped as "item"')];
}

const PLAIN: readonly string[] = ["type", "shape", "select", "nextPageToken", "hint"];
const VOCABULARY: readonly string[] = ["items", "item", "columns", "rows", "values"];

/** What a tool's name should look like, by what it gives. */
const NAMES: readonly (readonly [key: string, pattern: RegExp, say: string])[] = [
  ["items", /^.+-(search|list)$/, "{resource}-search or {resource}-list"],
  ["item", /^.+-get$/, "{resource}-get"],
  ["columns", /^(.+-)?(columns-get|get-columns)$/, "columns-get"],
  ["rows", /^(.+-)?rows-(get|append)$/, "rows-get or rows-append"],
];

/** The first word of the vocabulary that a result has decides: a result in two shapes is one of `items`. */
function checkToolName(name: string, branches: readonly Branch[], report: Report): readonly NamingFinding[] {
  const keys = branches.flatMap(({ properties }) => Object.keys(properties));
  const rule = NAMES.find(([key]) => keys.includes(key));
  if (rule === undefined || keys.includes("values")) return [];
  const [key, pattern, say] = rule;
  // A table may come with the names of its columns.
  const patterns = key === "columns" && keys.includes("rows") ? [pattern, ROWS_NAME] : [pattern];
  if (patterns.some((one) => one.test(name))) return [];
  return [report("tool-name", name, `a tool that gives "${key}" should be named ${say}`)];
}

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
