/**
 * @fileoverview Parameters of a tool as a list of data, the TypeScript types that follow from such a list, and the check
 * of a list that nobody's compiler has seen.
 * @module agent/tool-param
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";

/** What a parameter holds; a list and an object have parameters of their own. */
export type ToolParamType = "string" | "number" | "boolean" | "array" | "object";

/** One parameter of a tool. */
export interface ToolParam {
  /** The tag that it stands in. */
  readonly name: string;
  /** For the model. */
  readonly description: string;
  readonly optional: boolean;
  /** @default "string" */
  readonly type?: ToolParamType | undefined;
  /** Of an array: the one definition of its elements. Of an object: its members. */
  readonly params?: readonly ToolParam[] | undefined;
}

/** Another name of `ToolParam`. */
export type ToolParamMeta = ToolParam;

/** The value that a parameter's definition asks for. */
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
                ? unknown // a type that is not known to the compiler
                : string;

/** The parameters that a list of definitions asks for; of a list that is not known to the compiler, any. */
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

/** A name that can be a tag. */
export const TAG_NAME = /^[A-Za-z_][\w.-]{0,127}$/;

/** Finds the problems of a list of parameters, as sentences that name the parameter. */
export function findParamProblems(params: readonly unknown[]): readonly string[] {
  const problems: string[] = [];
  const budget = { left: MAX_PARAMS };
  checkList(params, { path: "", depth: 1 }, { problems, budget });
  return problems.slice(0, MAX_PROBLEMS);
}

/** The same parameters with nothing but the fields that a definition has. */
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
    problems.push(`parameters nest deeper than ${MAX_DEPTH}`);
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

/** Checks the fields of one parameter and gives its name, if that can be used. */
function checkOne(param: unknown, where: string, problems: string[]): string | undefined {
  if (!isJsonObject(param)) {
    problems.push(`${where} is not an object`);
    return undefined;
  }
  const { name, description, optional, type } = param;
  if (typeof name !== "string" || !TAG_NAME.test(name)) {
    problems.push(`${where} has no name that can be a tag`);
    return undefined;
  }
  // Parameters become properties: a name that every object has would be there when nobody sent it.
  if (name in Object.prototype) {
    problems.push(`${where} has a name that every object has`);
    return undefined;
  }
  if (typeof description !== "string") problems.push(`parameter '${name}' has no description`);
  if (typeof optional !== "boolean") problems.push(`parameter '${name}' does not say whether it is optional`);
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
    problems.push(`parameter '${path}' has params that are not a list`);
    return;
  }
  const list: readonly unknown[] = inner ?? [];
  if (type === "array" && list.length !== 1) {
    problems.push(`parameter '${path}' is an array and needs exactly one parameter for its elements`);
  } else if (type === "object" && list.length === 0) {
    problems.push(`parameter '${path}' is an object and needs parameters for its members`);
  } else if (type !== "array" && type !== "object" && list.length > 0) {
    problems.push(`parameter '${path}' has params, but is neither an array nor an object`);
  } else if (list.length > 0) {
    checkList(list, { path: `${path}.`, depth }, findings);
  }
}
