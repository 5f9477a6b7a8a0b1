/**
 * @fileoverview Tool parameters as data, the TypeScript types that follow from them, and a run-time check for
 * untyped definitions.
 * @module agent/tool-param
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";

/** Type of a parameter. Arrays and objects have nested parameters. */
export type ToolParamType = "string" | "number" | "boolean" | "array" | "object";

/** A parameter of a tool. */
export interface ToolParam {
  /** Tag name of the parameter. */
  readonly name: string;
  /** Description for the model. */
  readonly description: string;
  readonly optional: boolean;
  /** @default "string" */
  readonly type?: ToolParamType | undefined;
  /** Nested parameters: one definition for the elements of an array, or the members of an object. */
  readonly params?: readonly ToolParam[] | undefined;
}

/** Alias of `ToolParam`. */
export type ToolParamMeta = ToolParam;

/** Value type of a parameter. */
export type ParamValue<P extends ToolParam> = P extends { readonly type: "number" }
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
                ? unknown // the compiler does not know the type
                : string;

/** Type of the parameters that a list defines. Any parameters if the compiler does not know the list. */
export type ParamsOf<List extends readonly ToolParam[]> = number extends List["length"]
  ? Readonly<Record<string, unknown>>
  : Flatten<
      {
        [P in List[number] as P["optional"] extends false ? P["name"] : never]: ParamValue<P>;
      } & {
        [P in List[number] as P["optional"] extends false ? never : P["name"]]?: ParamValue<P> | undefined;
      }
    >;

type Flatten<T> = { [Key in keyof T]: T[Key] };

/** Pattern for names that can be tags. */
export const TAG_NAME = /^[A-Za-z_][\w.-]{0,127}$/;

/** Finds problems in a list of parameters. Each problem names its parameter. */
export function findParamProblems(params: readonly unknown[]): readonly string[] {
  const problems: string[] = [];
  const budget = { left: MAX_PARAMS };
  checkList(params, { path: "", depth: 1 }, { problems, budget });
  return problems.slice(0, MAX_PROBLEMS);
}

/** Copies parameters with only their known fields. */
export function copyParams(params: readonly ToolParam[]): readonly ToolParam[] {
  return params.map(({ name, description, optional, type, params: inner }) => ({
    name,
    description,
    optional,
    ...(type === undefined ? {} : { type }),
    ...(inner === undefined ? {} : { params: copyParams(inner) }),
  }));
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

interface Findings {
  readonly problems: string[];
  readonly budget: { left: number };
}

/** Position of a list of parameters in a definition. */
interface Position {
  /** Names of the parameters around the list, each followed by a dot. */
  readonly path: string;
  readonly depth: number;
}

function checkList(params: readonly unknown[], { path, depth }: Position, findings: Findings): void {
  const { problems, budget } = findings;
  if (depth > MAX_DEPTH) {
    problems.push(`parameters are nested deeper than ${MAX_DEPTH} levels`);
    return;
  }
  budget.left -= params.length;
  if (budget.left < 0) {
    problems.push(`there are more than ${MAX_PARAMS} parameters`);
    return;
  }
  const names = new Set<string>();
  for (const [index, param] of params.entries()) {
    const name = checkOne(param, `${path}params[${index}]`, problems);
    if (name === undefined || !isJsonObject(param)) continue;
    if (names.has(name)) problems.push(`parameter '${path}${name}' is declared twice`);
    names.add(name);
    checkNested(param, { path: `${path}${name}`, depth: depth + 1 }, findings);
  }
}

/** Checks the fields of one parameter. Returns its name if the name is valid. */
function checkOne(param: unknown, where: string, problems: string[]): string | undefined {
  if (!isJsonObject(param)) {
    problems.push(`${where} is not an object`);
    return undefined;
  }
  const { name, description, optional, type } = param;
  if (typeof name !== "string" || !TAG_NAME.test(name)) {
    problems.push(`${where} has no valid tag name`);
    return undefined;
  }
  // Parameters become properties. The name of an inherited property would be found even if the model did not send
  // it.
  if (name in Object.prototype) {
    problems.push(`${where} has a reserved name, which every object inherits`);
    return undefined;
  }
  if (typeof description !== "string") problems.push(`parameter '${name}' has no description`);
  if (typeof optional !== "boolean") problems.push(`parameter '${name}' has no boolean \`optional\``);
  if (type !== undefined && !TYPES.has(type)) problems.push(`parameter '${name}' has an unknown type`);
  return name;
}

function checkNested(
  { type, params: inner }: JsonObject,
  { path, depth }: Position,
  findings: Findings,
): void {
  const { problems } = findings;
  if (inner !== undefined && !Array.isArray(inner)) {
    problems.push(`\`params\` of parameter '${path}' is not a list`);
    return;
  }
  const list: readonly unknown[] = inner ?? [];
  if (type === "array" && list.length !== 1) {
    problems.push(`array parameter '${path}' needs exactly one nested parameter for its elements`);
  } else if (type === "object" && list.length === 0) {
    problems.push(`object parameter '${path}' needs nested parameters for its members`);
  } else if (type !== "array" && type !== "object" && list.length > 0) {
    problems.push(`parameter '${path}' has nested \`params\` but is not an array or object`);
  } else if (list.length > 0) {
    checkList(list, { path: `${path}.`, depth }, findings);
  }
}
