/**
 * @fileoverview Validates the arguments of an action against the common schema and its own. Fields that neither schema
 * declares never reach the handler.
 * @module grouped/argument-check
 */
import { isPlainObject, type JsonObject } from "@tenon/internal/json";
import { andThen, isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import type { CheckResult, CompiledSchema, Issue, StandardSchema } from "../../schema/schema.js";
import type { ActionFacts } from "../actions/action.js";
import { compileActionSchema, compileCommonSchema, fieldsOf } from "../strategies/schema-utils.js";

/** Rules for the arguments of an action. */
export interface ArgumentRules {
  readonly commonSchema: StandardSchema | undefined;
  readonly discriminator: string;
  /** True if undeclared fields are rejected rather than dropped. */
  readonly strict: boolean;
}

/** Validates arguments, which may include the discriminator. */
export type ArgumentCheck = (args: JsonObject) => MaybePromise<CheckResult>;

/**
 * Creates the check of one action. A field in both schemas must pass both, and the value of the common schema wins, so
 * an action cannot loosen a common field.
 */
export function createArgumentCheck(action: ActionFacts, rules: ArgumentRules): ArgumentCheck {
  const common = rules.commonSchema && compileCommonSchema(rules.commonSchema);
  const own = compileActionSchema(action);
  const parts = [
    ...(common === undefined ? [] : [createDeclaredCheck(common, rules.commonSchema)]),
    ...(own === undefined ? [] : [createDeclaredCheck(own, action.schema)]),
  ];
  const check = joinChecks(parts);
  const isStrict =
    rules.strict || [common, own].some((one) => one?.jsonSchema["additionalProperties"] === false);
  if (!isStrict) return check;
  const known = new Set([
    rules.discriminator,
    ...[common, own].flatMap((one) =>
      one === undefined ? [] : fieldsOf(one.jsonSchema).map(({ name }) => name),
    ),
  ]);
  return (args) => {
    const unknown = Object.keys(args).filter((name) => !known.has(name));
    if (unknown.length === 0) return check(args);
    const issues = unknown.map((name) => ({ path: [name.slice(0, 64)], message: "is not a known field" }));
    return andThen(check(args), (checked) => ({ issues: [...(checked.issues ?? []), ...issues] }));
  };
}

/** Merges the values of both schemas, or their issues. */
function joinChecks([first, second]: readonly ArgumentCheck[]): ArgumentCheck {
  if (first === undefined) return () => ({ value: {} });
  if (second === undefined) return first;
  return (args) => {
    const common = first(args);
    if (isPromise(common)) return common.then((one) => andThen(second(args), (own) => joinResults(one, own)));
    const own = second(args);
    return isPromise(own) ? own.then((one) => joinResults(common, one)) : joinResults(common, own);
  };
}

function joinResults(common: CheckResult, own: CheckResult): CheckResult {
  if (common.issues !== undefined || own.issues !== undefined) {
    return { issues: uniqueIssues([...(common.issues ?? []), ...(own.issues ?? [])]) };
  }
  // Each check has ensured that its value is an object.
  return { value: { ...(own.value as JsonObject), ...(common.value as JsonObject) } };
}

/** Removes duplicate issues of a field that both schemas reject for the same reason. */
function uniqueIssues(issues: readonly Issue[]): readonly Issue[] {
  // Only the first issues are reported, so duplicates in a long list do not matter.
  if (issues.length > MAX_COMPARED) return issues;
  const told = new Map(
    issues.map((issue) => [JSON.stringify([issue.path?.map(String), issue.message]), issue]),
  );
  return [...told.values()];
}

const MAX_COMPARED = 1_000;

/** Creates a check of the declared fields only: the schema never sees other fields. */
function createDeclaredCheck(compiled: CompiledSchema, schema: StandardSchema | undefined): ArgumentCheck {
  const { check, jsonSchema } = compiled;
  const names = fieldsOf(jsonSchema).map(({ name }) => name);
  // Libraries read a missing field from the prototype, so the object has no prototype if a name is inherited.
  const isInherited = names.some((name) => name in Object.prototype);
  if (dropsUnknown(schema) && !isInherited) return check;
  const prototype = isInherited ? null : Object.prototype;
  return (args) => andThen(check(pick(args, names, prototype)), requireObject);
}

/**
 * Requires a plain object, because fields are merged and removed by copying, which would lose the class of an instance.
 */
function requireObject(checked: CheckResult): CheckResult {
  if (checked.issues !== undefined || isPlainObject(checked.value)) return checked;
  throw new TypeError("The schema of an action must return a plain object.");
}

/**
 * Checks for a plain Zod object schema. It returns a plain object and drops unknown fields itself, which saves a copy
 * per call.
 */
function dropsUnknown(schema: StandardSchema | undefined): boolean {
  const { _zod: zod } = (schema ?? {}) as { readonly _zod?: { readonly def?: JsonObject } };
  return zod?.def?.["type"] === "object" && zod.def["catchall"] === undefined;
}

function pick(args: JsonObject, names: readonly string[], prototype: object | null): JsonObject {
  const picked = Object.create(prototype) as Record<string, unknown>;
  for (const name of names) {
    if (Object.hasOwn(args, name)) picked[name] = args[name];
  }
  return picked;
}
