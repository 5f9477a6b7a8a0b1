/**
 * @fileoverview Finds every regular expression in the source of the packages: literals, and calls of `RegExp` whose
 * arguments are constants.
 * @module tools/attack/redos/collect
 */
import { readdirSync, readFileSync } from "node:fs";
import { parseSync } from "oxc-parser";
import { ROOT } from "../data/read-data.js";

/** Regular expression in a file. */
export interface FoundRegex {
  /** Path below `packages/`. */
  readonly file: string;
  readonly line: number;
  readonly pattern: string;
  readonly flags: string;
}

/** Call of `RegExp` with arguments that are not constants. */
export interface DynamicRegex {
  readonly file: string;
  readonly line: number;
  /** Source of the call. */
  readonly source: string;
}

/** Everything that was found. */
export interface FoundRegexes {
  readonly files: number;
  readonly regexes: readonly FoundRegex[];
  readonly dynamic: readonly DynamicRegex[];
}

/** Reads the source of all packages. */
export function collectRegexes(): FoundRegexes {
  const regexes: FoundRegex[] = [];
  const dynamic: DynamicRegex[] = [];
  const files = readdirSync(`${ROOT}/packages`).flatMap((folder) =>
    readdirSync(`${ROOT}/packages/${folder}/src`, { recursive: true, encoding: "utf8" })
      .filter((path) => /\.[cm]?[jt]sx?$/.test(path) && !path.endsWith(".d.ts"))
      .map((path) => `${folder}/src/${path}`),
  );
  for (const file of files) {
    const text = readFileSync(`${ROOT}/packages/${file}`, "utf8");
    const { program, errors } = parseSync(file, text);
    if (errors.length > 0) throw new Error(`Could not parse ${file}: ${errors[0]?.message}`);
    const constants = collectConstants(program as unknown as AstNode); // Safe: every node of a program is an object
    visit(program as unknown as AstNode, (node) => {
      // Safe: as above
      const line = () => text.slice(0, node.start).split("\n").length;
      const { regex } = node as { readonly regex?: { readonly pattern: string; readonly flags: string } };
      if (node.type === "Literal" && regex !== undefined) regexes.push({ file, line: line(), ...regex });
      if (!isRegExpCall(node)) return;
      const [source, flags] = node.arguments as readonly (AstNode | undefined)[]; // Safe: the arguments of a call
      const pattern = evaluate(source, constants);
      const flagText = flags === undefined ? "" : evaluate(flags, constants);
      if (pattern === undefined || flagText === undefined)
        dynamic.push({ file, line: line(), source: text.slice(node.start, node.end) });
      else regexes.push({ file, line: line(), pattern, flags: flagText });
    });
  }
  return { files: files.length, regexes, dynamic };
}

/** Node of a syntax tree. */
interface AstNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

function isNode(value: unknown): value is AstNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function visit(node: AstNode, action: (node: AstNode) => void): void {
  action(node);
  for (const member of Object.values(node)) {
    if (isNode(member)) visit(member, action);
    else if (Array.isArray(member)) for (const item of member) if (isNode(item)) visit(item, action);
  }
}

function isRegExpCall(node: AstNode): boolean {
  if (node.type !== "NewExpression" && node.type !== "CallExpression") return false;
  const callee = node["callee"];
  return isNode(callee) && callee.type === "Identifier" && callee["name"] === "RegExp";
}

/** Collects the values of constants by name. A name with two declarations has no value. */
function collectConstants(program: AstNode): ReadonlyMap<string, AstNode> {
  const constants = new Map<string, AstNode>();
  const twice = new Set<string>();
  visit(program, (node) => {
    const { id, init } = node;
    if (node.type !== "VariableDeclarator" || !isNode(id) || !isNode(init)) return;
    const name = String(id["name"]);
    if (constants.has(name)) twice.add(name);
    constants.set(name, init);
  });
  for (const name of twice) constants.delete(name);
  return constants;
}

/** Returns the text of a constant expression, or `undefined` if it is not constant. */
function evaluate(node: unknown, constants: ReadonlyMap<string, AstNode>): string | undefined {
  if (!isNode(node)) return undefined;
  switch (node.type) {
    case "Literal":
      return typeof node["value"] === "string" ? node["value"] : undefined;
    case "Identifier":
      return evaluate(constants.get(String(node["name"])), constants);
    case "TemplateLiteral":
      return evaluateTemplate(node, "cooked", constants);
    case "TaggedTemplateExpression": {
      const { tag, quasi } = node;
      const isRaw =
        isNode(tag) &&
        tag.type === "MemberExpression" &&
        isNode(tag["property"]) &&
        tag["property"]["name"] === "raw";
      return isRaw && isNode(quasi) ? evaluateTemplate(quasi, "raw", constants) : undefined;
    }
    case "CallExpression":
      return evaluateJoin(node, constants);
    default:
      return undefined;
  }
}

function evaluateTemplate(
  node: AstNode,
  kind: "cooked" | "raw",
  constants: ReadonlyMap<string, AstNode>,
): string | undefined {
  const quasis = node["quasis"] as readonly { readonly value: Readonly<Record<string, string>> }[]; // Safe: a template
  const values = (node["expressions"] as readonly unknown[]).map((one) => evaluate(one, constants)); // Safe: a template
  if (values.includes(undefined)) return undefined;
  return quasis.map(({ value }, at) => `${value[kind] ?? ""}${values[at] ?? ""}`).join("");
}

/** Evaluates `[…].join(text)`. */
function evaluateJoin(node: AstNode, constants: ReadonlyMap<string, AstNode>): string | undefined {
  const callee = node["callee"];
  if (!isNode(callee) || callee.type !== "MemberExpression") return undefined;
  const { object, property } = callee;
  if (
    !isNode(object) ||
    object.type !== "ArrayExpression" ||
    !isNode(property) ||
    property["name"] !== "join"
  )
    return undefined;
  const parts = (object["elements"] as readonly unknown[]).map((one) => evaluate(one, constants)); // Safe: an array
  const [separator] = node["arguments"] as readonly unknown[]; // Safe: a call
  const between = evaluate(separator, constants);
  return between === undefined || parts.includes(undefined) ? undefined : parts.join(between);
}
