/**
 * @fileoverview Validates an action's arguments against the common schema and the action's own schema. Fields that
 * neither schema declares never reach the handler.
 * @module tenon/grouped/calls/argument-check
 */
import { isJsonObject, isPlainObject, type JsonObject } from "@tenon/internal/json";
import { andThen, isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import { kindOf } from "@tenon/internal/kind-of";
import type { CheckResult, CompiledSchema, Issue, StandardSchema } from "../../schema/schema.js";
import type { ActionFacts } from "../actions/action.js";
import {
  actionLabel,
  COMMON_LABEL,
  compileActionSchema,
  compileCommonSchema,
  fieldsOf,
} from "../strategies/schema-utils.js";

/** Validation settings that all actions of a tool share. */
export interface ArgumentRules {
  readonly commonSchema: StandardSchema | undefined;
  readonly discriminator: string;
  /** True if undeclared fields are rejected instead of dropped. */
  readonly strict: boolean;
}

/** Validates arguments, which may include the discriminator. */
export type ArgumentCheck = (args: JsonObject) => MaybePromise<CheckResult>;

/**
 * Creates the check for one action. A field that both schemas declare must pass both. The common schema's value wins,
 * so an action cannot loosen a common field.
 */
export function createArgumentCheck(action: ActionFacts, rules: ArgumentRules): ArgumentCheck {
  const common = rules.commonSchema && compileCommonSchema(rules.commonSchema);
  const own = compileActionSchema(action);
  const parts = [
    ...(common === undefined ? [] : [createDeclaredCheck(common, rules.commonSchema, COMMON_LABEL)]),
    ...(own === undefined ? [] : [createDeclaredCheck(own, action.schema, actionLabel(action))]),
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
    const issues = unknown.map((name) => ({ path: [name.slice(0, 64)], message: "unknown field" }));
    return andThen(check(args), (checked) => ({ issues: [...(checked.issues ?? []), ...issues] }));
  };
}

/** Runs both checks and merges their values, or their issues. */
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
  // Safe: each check accepts only objects.
  return { value: { ...(own.value as JsonObject), ...(common.value as JsonObject) } };
}

/** Removes the duplicate issue for a field that both schemas reject for the same reason. */
function uniqueIssues(issues: readonly Issue[]): readonly Issue[] {
  // Only the first issues are reported, so duplicates in a long list are harmless.
  if (issues.length > MAX_COMPARED) return issues;
  const told = new Map(
    issues.map((issue) => [JSON.stringify([issue.path?.map(String), issue.message]), issue]),
  );
  return [...told.values()];
}

const MAX_COMPARED = 1_000;

/** Creates a check that passes only the declared fields to the schema. `label` names the schema in errors. */
function createDeclaredCheck(
  compiled: CompiledSchema,
  schema: StandardSchema | undefined,
  label: string,
): ArgumentCheck {
  const { check, jsonSchema } = compiled;
  const names = fieldsOf(jsonSchema).map(({ name }) => name);
  // Libraries read missing fields through the prototype, so an inherited name requires an object without a prototype.
  const isInherited = names.some((name) => name in Object.prototype);
  if (dropsUnknown(schema) && !isInherited) return check;
  const prototype = isInherited ? null : Object.prototype;
  const conclude = (checked: CheckResult) => requireObject(checked, label);
  return (args) => andThen(check(pick(args, names, prototype)), conclude);
}

/** Requires a plain object. Fields are merged and removed by copying, which would lose an instance's class. */
function requireObject(checked: CheckResult, label: string): CheckResult {
  if (checked.issues !== undefined || isPlainObject(checked.value)) return checked;
  const got = isJsonObject(checked.value) ? "a class instance" : kindOf(checked.value);
  throw new TypeError(`${label} must return a plain object; got ${got}.`);
}

/**
 * Returns true for a plain Zod object schema. Such a schema returns a plain object and drops unknown fields, which
 * saves a copy per call.
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
