/**
 * @fileoverview JSDoc rules of the mandate: file headers, and complete comments on everything that is exported.
 * @module tests/support/jsdocRules
 */
import {
  type ArrowFunctionExpression,
  type Class,
  type Declaration,
  type Function as FunctionNode,
  type ParamPattern,
  type Program,
  Visitor,
} from "oxc-parser";
import { type SourceFile, type Violation, violationAt } from "./sourceFiles.js";

type AnyFunction = FunctionNode | ArrowFunctionExpression;

/** Node that requires a JSDoc comment. */
interface Documented {
  readonly name: string;
  /** Position after the comment. */
  readonly start: number;
  /** Set for functions and methods, whose parameters and results require tags. */
  readonly body?: AnyFunction;
}

/** Checks the file header: `@fileoverview`, and `@module` with the file's own path. */
export function checkHeader(file: SourceFile): readonly Violation[] {
  const [first] = file.comments;
  const header = first?.start === 0 && first.value.startsWith("*") ? first.value : "";
  const name = file.path.replace(/\.ts$/, "").replace(/(?<=^src\/.+)\/index$/, "");
  if (!/@fileoverview \S/.test(header))
    return [violationAt(file, 0, "The file must start with a `/** @fileoverview … */` comment.")];
  const [, told] = /@module (\S+)/.exec(header) ?? [];
  // Both `src/a/index` and `src/a` name a barrel file.
  return told === name || `${told}.ts` === file.path
    ? []
    : [violationAt(file, 0, `The file's comment must contain \`@module ${name}\`.`)];
}

/** Checks that every exported function, class, and type has a complete JSDoc comment. */
export function checkExports(file: SourceFile): readonly Violation[] {
  const outcomes = readOutcomes(file.program);
  return file.program.body
    .filter((statement) => statement.type === "ExportNamedDeclaration")
    .flatMap(({ declaration, start }) =>
      declaration === null ? [] : documentedIn(declaration, start),
    )
    .flatMap((node) => checkComment(file, node, outcomes));
}

function documentedIn(declaration: Declaration, start: number): readonly Documented[] {
  switch (declaration.type) {
    case "FunctionDeclaration":
      return [{ name: declaration.id?.name ?? "default", start, body: declaration }];
    case "ClassDeclaration":
      return [{ name: declaration.id?.name ?? "default", start }, ...methodsOf(declaration)];
    case "TSInterfaceDeclaration":
    case "TSEnumDeclaration":
      return [{ name: declaration.id.name, start }];
    case "TSTypeAliasDeclaration":
      // A type inferred from a schema is documented by the schema.
      return isInferred(declaration.typeAnnotation) ? [] : [{ name: declaration.id.name, start }];
    case "VariableDeclaration":
      return declaration.declarations.flatMap(({ id, init }) =>
        id.type === "Identifier" &&
        (init?.type === "ArrowFunctionExpression" || init?.type === "FunctionExpression")
          ? [{ name: id.name, start, body: init }]
          : [],
      );
    default:
      return [];
  }
}

/** Returns a class's public methods, including its constructor and accessors. */
function methodsOf({ body }: Class): readonly Documented[] {
  return body.body.flatMap((member) =>
    member.type === "MethodDefinition" &&
    member.key.type === "Identifier" &&
    member.accessibility !== "private" &&
    member.value.body !== null
      ? [{ name: member.key.name, start: member.start, body: member.value }]
      : [],
  );
}

function isInferred(type: { readonly type: string }): boolean {
  const { typeName } = type as { typeName?: { type: string; left?: { name?: string } } };
  return type.type === "TSTypeReference" && typeName?.left?.name === "z";
}

function checkComment(
  file: SourceFile,
  node: Documented,
  outcomes: ReadonlyMap<AnyFunction, Outcomes>,
): readonly Violation[] {
  const { name, start, body } = node;
  const comment = file.comments.findLast(
    ({ end, value }) =>
      end <= start && value.startsWith("*") && file.text.slice(end, start).trim() === "",
  );
  if (comment === undefined)
    return [violationAt(file, start, `\`${name}\` is exported and must have a JSDoc comment.`)];
  if (body === undefined) return [];
  const missing = requiredTags(node, outcomes.get(body) ?? {}).filter(
    (tag) => !new RegExp(`@${tag.replaceAll("$", String.raw`\$`)}(?![\\w$])`).test(comment.value),
  );
  return missing.map((tag) =>
    violationAt(file, start, `The JSDoc of \`${name}\` must have \`@${tag}\`.`),
  );
}

/** Lists the tags that a function requires: its parameters, its result, and the errors that it throws itself. */
function requiredTags(
  { name, body }: Documented,
  { returns = false, throws = false }: Outcomes,
): readonly string[] {
  return [
    ...(body?.params ?? []).flatMap((parameter) => nameOf(parameter)).map((one) => `param ${one}`),
    ...(returns && name !== "constructor" ? ["returns"] : []),
    ...(throws ? ["throws"] : []),
  ];
}

/** Returns a parameter's name. A destructured parameter does not have a name. */
function nameOf(parameter: ParamPattern): readonly string[] {
  const pattern =
    parameter.type === "TSParameterProperty"
      ? parameter.parameter
      : parameter.type === "RestElement"
        ? parameter.argument
        : parameter;
  const target = pattern.type === "AssignmentPattern" ? pattern.left : pattern;
  return target.type === "Identifier" ? [target.name] : [];
}

/** Behavior of a function itself, without nested functions. */
interface Outcomes {
  readonly returns?: boolean;
  readonly throws?: boolean;
}

/** Finds the functions in a file that return a value or throw. */
function readOutcomes(program: Program): ReadonlyMap<AnyFunction, Outcomes> {
  const outcomes = new Map<AnyFunction, Outcomes>();
  const open: AnyFunction[] = [];
  const note = (found: Outcomes) => {
    const owner = open.at(-1);
    if (owner !== undefined) outcomes.set(owner, { ...outcomes.get(owner), ...found });
  };
  const enter = (node: AnyFunction) => {
    open.push(node);
    if (node.type === "ArrowFunctionExpression" && node.expression) note({ returns: true });
  };
  const leave = () => void open.pop();
  new Visitor({
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": leave,
    FunctionExpression: enter,
    "FunctionExpression:exit": leave,
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": leave,
    ReturnStatement: ({ argument }) => argument !== null && note({ returns: true }),
    ThrowStatement: () => note({ throws: true }),
  }).visit(program);
  return outcomes;
}
