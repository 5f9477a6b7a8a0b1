/**
 * @fileoverview Tool parameter definitions, the TypeScript types inferred from them, and a run-time check
 * for untyped definitions.
 * @module agent/tools/tool-param
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { showValue } from "@tenon/internal/kind-of";

/** Parameter type. Arrays and objects require nested `params`. */
export type ToolParamType = "string" | "number" | "boolean" | "array" | "object";

/** Definition of a tool parameter. */
export interface ToolParam {
  /** Name of the parameter and of its XML tag. */
  readonly name: string;
  /** Description for the model. */
  readonly description: string;
  readonly optional: boolean;
  /** @default "string" */
  readonly type?: ToolParamType | undefined;
  /** Nested parameters. For an array, exactly one, which defines the elements. For an object, its properties. */
  readonly params?: readonly ToolParam[] | undefined;
  /** Marks a parameter of any type, which the model writes as JSON inside the tag. Requires the type `"string"`. */
  readonly format?: "json" | undefined;
}

/** Alias for `ToolParam`. */
export type ToolParamMeta = ToolParam;

/** Type of a parameter's value. */
export type ParamValue<P extends ToolParam> = P extends { readonly format: "json" }
  ? unknown
  : P extends { readonly type: "number" }
    ? number
    : P extends { readonly type: "boolean" }
      ? boolean
      : P extends { readonly type: "array"; readonly params: readonly [infer Item extends ToolParam] }
        ? ParamValue<Item>[]
        : P extends { readonly type: "array" }
          ? unknown[]
          : P extends { readonly type: "object"; readonly params: infer Members extends readonly ToolParam[] }
            ? ParamsOf<Members>
            : P extends { readonly type: "object" }
              ? Readonly<Record<string, unknown>>
              : P extends { readonly type: "string" | undefined }
                ? string
                : "type" extends keyof P
                  ? unknown // `type` is not a literal type
                  : string;

/** Type of the values that a parameter list defines. Any object if the list is unknown at compile time. */
export type ParamsOf<List extends readonly ToolParam[]> = number extends List["length"]
  ? Readonly<Record<string, unknown>>
  : Flatten<
      {
        [P in List[number] as P["optional"] extends false ? P["name"] : never]: ParamValue<P>;
      } & {
        [P in List[number] as P["optional"] extends false ? never : P["name"]]?: ParamValue<P>;
      }
    >;

type Flatten<T> = { [Key in keyof T]: T[Key] };

/** Pattern for names that can be XML tags. */
export const TAG_NAME = /^[A-Za-z_][\w.-]{0,127}$/;

/** Description of `TAG_NAME` for error messages. */
export const TAG_NAME_RULE =
  "must be 1 to 128 characters long (letters, digits, _ . -) and start with a letter or underscore";

/** Checks a parameter list. Returns up to 20 problems, each with the name or position of its parameter. */
export function findParamProblems(params: readonly unknown[]): readonly string[] {
  const problems: string[] = [];
  const budget = { left: MAX_PARAMS };
  checkList(params, { path: "", depth: 1 }, { problems, budget });
  return problems.slice(0, MAX_PROBLEMS);
}

/** Copies parameters without unknown fields. */
export function copyParams(params: readonly ToolParam[]): readonly ToolParam[] {
  return params.map(({ name, description, optional, type, format, params: inner }) => {
    return { name, description, optional, type, format, params: inner && copyParams(inner) };
  });
}

const MAX_PARAMS = 1_000;
const MAX_DEPTH = 16;
const MAX_PROBLEMS = 20;
const TYPES: ReadonlySet<unknown> = new Set<ToolParamType>([
  "string",
  "number",
  "boolean",
  "array",
  "object",
]);
const TYPE_RULE = 'must be "string", "number", "boolean", "array", or "object"';

interface Findings {
  readonly problems: string[];
  readonly budget: { left: number };
}

/** Position of a parameter list in a definition. */
interface Position {
  /** Names of the enclosing parameters, each followed by a dot. */
  readonly path: string;
  readonly depth: number;
}

function checkList(params: readonly unknown[], { path, depth }: Position, findings: Findings): void {
  const { problems, budget } = findings;
  if (depth > MAX_DEPTH) {
    problems.push(`\`params\` of parameter "${path.slice(0, -1)}" is nested deeper than ${MAX_DEPTH} levels`);
    return;
  }
  budget.left -= params.length;
  if (budget.left < 0) {
    problems.push(`the definition has too many parameters (limit: ${MAX_PARAMS})`);
    return;
  }
  const names = new Set<string>();
  for (const [index, param] of params.entries()) {
    const name = checkOne(param, `${path}params[${index}]`, problems);
    if (name === undefined || !isJsonObject(param)) continue;
    if (names.has(name)) problems.push(`parameter "${path}${name}" is declared twice`);
    names.add(name);
    checkNested(param, { path: `${path}${name}`, depth: depth + 1 }, findings);
  }
}

/** Checks a parameter's own fields. Returns its name, or `undefined` if the name is invalid. */
function checkOne(param: unknown, where: string, problems: string[]): string | undefined {
  if (!isJsonObject(param)) {
    problems.push(`\`${where}\` must be an object; got ${showValue(param)}`);
    return undefined;
  }
  const { name, description, optional, type, format } = param;
  if (typeof name !== "string" || !TAG_NAME.test(name)) {
    problems.push(`\`${where}.name\` ${TAG_NAME_RULE}; got ${showValue(name)}`);
    return undefined;
  }
  // Parameters become object properties. An inherited property would look like a parameter that the model sent.
  if (name in Object.prototype) {
    problems.push(
      `\`${where}.name\` must not be the name of an Object.prototype member; got ${showValue(name)}`,
    );
    return undefined;
  }
  if (typeof description !== "string") {
    problems.push(`\`description\` of parameter "${name}" must be a string; got ${showValue(description)}`);
  }
  if (typeof optional !== "boolean") {
    problems.push(`\`optional\` of parameter "${name}" must be true or false; got ${showValue(optional)}`);
  }
  if (type !== undefined && !TYPES.has(type)) {
    problems.push(`\`type\` of parameter "${name}" ${TYPE_RULE}; got ${showValue(type)}`);
  }
  if (format !== undefined && format !== "json") {
    problems.push(`\`format\` of parameter "${name}" must be "json"; got ${showValue(format)}`);
  } else if (format === "json" && type !== undefined && type !== "string") {
    problems.push(`parameter "${name}" has the format "json", so its \`type\` must be "string"`);
  }
  return name;
}

function checkNested(
  { type, params: inner }: JsonObject,
  { path, depth }: Position,
  findings: Findings,
): void {
  const { problems } = findings;
  if (inner !== undefined && !Array.isArray(inner)) {
    problems.push(`\`params\` of parameter "${path}" must be an array; got ${showValue(inner)}`);
    return;
  }
  const list: readonly unknown[] = inner ?? [];
  if (type === "array" && list.length !== 1) {
    problems.push(
      `array parameter "${path}" must have exactly one nested parameter (its element); got ${list.length}`,
    );
  } else if (type === "object" && list.length === 0) {
    problems.push(`object parameter "${path}" must have at least one nested parameter`);
  } else if (type !== "array" && type !== "object" && list.length > 0) {
    problems.push(`parameter "${path}" has nested \`params\`, so its \`type\` must be "array" or "object"`);
  } else if (list.length > 0) {
    checkList(list, { path: `${path}.`, depth }, findings);
  }
}
