/**
 * @fileoverview Checks values against a JSON Schema of any dialect. The schema may come from an untrusted server, so the
 * work is bounded. A check that would take too long, or that depends on an unsupported keyword, passes: the server
 * checks its arguments again.
 * @module agent/tools/json-schema/check-json
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { ParamIssue } from "../../shared/errors.js";
import { showValue } from "../../shared/show-value.js";
import { findArrayIssue, findNumberIssue, findTextIssue } from "./check-limits.js";
import { findTarget } from "./find-target.js";
import { matchPattern } from "./match-pattern.js";
import { isSame, nameOfType, type StepBudget, toTypeNames } from "./values.js";

/** Checks a value. Returns up to 20 issues, or an empty array if the value matches the schema. */
export function checkJson(schema: JsonObject, value: unknown): readonly ParamIssue[] {
  const budget: StepBudget = { left: MAX_STEPS };
  const run: Run = { root: schema, budget, issues: [], isVague: false };
  check(schema, { value, path: [], depth: 0 }, run);
  return budget.left < 0 ? [] : run.issues;
}

const MAX_STEPS = 100_000;
const MAX_DEPTH = 64;
const MAX_ISSUES = 20;
const MAX_SHOWN = 20;

/** Value to check, and its position. */
interface Place {
  readonly value: unknown;
  readonly path: readonly (string | number)[];
  /** Number of schemas around this one. */
  readonly depth: number;
}

/** State of a check. */
interface Run {
  readonly root: JsonObject;
  readonly budget: StepBudget;
  readonly issues: ParamIssue[];
  /** True if a part was not checked, so that "no issues" does not mean "matches". */
  isVague: boolean;
}

function check(schema: unknown, place: Place, run: Run): void {
  if (--run.budget.left < 0 || place.depth > MAX_DEPTH) {
    run.isVague = true;
    return;
  }
  if (run.issues.length >= MAX_ISSUES) return;
  if (schema === false) report("This value is not allowed", place, run);
  if (!isJsonObject(schema)) return;
  if (VAGUE_KEYWORDS.some((keyword) => schema[keyword] !== undefined)) run.isVague = true;
  const { value } = place;
  const problem = findTypeIssue(schema, value) ?? findChoiceIssue(schema, value, run.budget);
  // Other keywords would only repeat the problem.
  if (problem !== undefined) return report(problem, place, run);
  const inner = { ...place, depth: place.depth + 1 };
  checkReference(schema, inner, run);
  checkBranches(schema, inner, run);
  checkCondition(schema, inner, run);
  if (Array.isArray(value)) checkArray(schema, { ...inner, value }, run);
  else if (isJsonObject(value)) checkObject(schema, { ...inner, value }, run);
  else checkScalar(schema, place, run);
}

/** Keywords whose effect is not checked. */
const VAGUE_KEYWORDS = ["$dynamicRef", "$recursiveRef", "unevaluatedProperties", "unevaluatedItems"];

function report(message: string, { path }: Pick<Place, "path">, run: Run): void {
  if (run.issues.length < MAX_ISSUES) run.issues.push({ path, message });
}

function findTypeIssue({ type }: JsonObject, value: unknown): string | undefined {
  if (type === undefined) return undefined;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  const names = toTypeNames(value);
  if (types.some((one) => names.includes(one))) return undefined;
  return `Expected ${types.map(nameOfType).join(" or ")}; got ${showValue(value)}`;
}

function findChoiceIssue(schema: JsonObject, value: unknown, budget: StepBudget): string | undefined {
  const { enum: options } = schema;
  if (Array.isArray(options) && !options.some((option) => isSame(option, value, budget))) {
    const more = options.length > MAX_SHOWN ? ", …" : "";
    return `Expected one of ${options.slice(0, MAX_SHOWN).map(showValue).join(", ")}${more}; got ${showValue(value)}`;
  }
  if (!Object.hasOwn(schema, "const") || isSame(schema["const"], value, budget)) return undefined;
  return `Expected ${showValue(schema["const"])}; got ${showValue(value)}`;
}

function checkScalar(schema: JsonObject, place: Place, run: Run): void {
  const { value } = place;
  const issue =
    typeof value === "number"
      ? findNumberIssue(schema, value)
      : typeof value === "string"
        ? findTextIssue(schema, value)
        : undefined;
  if (issue !== undefined) report(issue, place, run);
  const { pattern } = schema;
  if (typeof value !== "string" || typeof pattern !== "string") return;
  const matches = test(pattern, value, run);
  if (matches === false) report(`Expected text that matches the pattern ${showValue(pattern)}`, place, run);
}

/** Tests a text against a pattern. Returns `undefined` if the pattern cannot be used. */
function test(pattern: string, text: string, run: Run): boolean | undefined {
  run.budget.left -= 100 + pattern.length;
  const matches = run.budget.left < 0 ? undefined : matchPattern(pattern, text);
  if (matches === undefined) run.isVague = true;
  return matches;
}

function checkReference({ $ref }: JsonObject, place: Place, run: Run): void {
  if (typeof $ref !== "string") return;
  const target = findTarget(run.root, $ref);
  if (target === undefined) run.isVague = true;
  else check(target, place, run);
}

/** Result of checking a value against one of several schemas. */
interface Outcome {
  readonly issues: readonly ParamIssue[];
  readonly isVague: boolean;
}

function tryOut(schema: unknown, place: Place, run: Run): Outcome {
  const attempt: Run = { ...run, issues: [], isVague: false };
  check(schema, place, attempt);
  if (attempt.isVague) run.isVague = true;
  return attempt;
}

function checkBranches({ allOf, anyOf, oneOf, not }: JsonObject, place: Place, run: Run): void {
  if (Array.isArray(allOf)) for (const one of allOf) check(one, place, run);
  if (Array.isArray(anyOf) && anyOf.length > 0) {
    const outcomes = anyOf.map((one) => tryOut(one, place, run));
    if (outcomes.every(({ issues }) => issues.length > 0)) reportBranches(outcomes, place, run);
  }
  if (Array.isArray(oneOf) && oneOf.length > 0) {
    const outcomes = oneOf.map((one) => tryOut(one, place, run));
    const certain = outcomes.filter(({ issues, isVague }) => issues.length === 0 && !isVague);
    if (certain.length > 1) report("Matches more than one of the allowed schemas", place, run);
    if (outcomes.every(({ issues }) => issues.length > 0)) reportBranches(outcomes, place, run);
  }
  if (not === undefined) return;
  const { issues, isVague } = tryOut(not, place, run);
  if (issues.length === 0 && !isVague) report("This value is not allowed", place, run);
}

/** Reports the issues of the only branch that accepts the kind of value, or a summary if there are several. */
function reportBranches(outcomes: readonly Outcome[], place: Place, run: Run): void {
  const [only, ...others] = outcomes.filter(({ issues }) =>
    issues.every(({ path }) => path.length > place.path.length),
  );
  const [single, ...rest] = outcomes;
  const chosen = others.length === 0 && only !== undefined ? only : rest.length === 0 ? single : undefined;
  if (chosen === undefined) {
    const problems = [...new Set(outcomes.flatMap(({ issues }) => issues[0]?.message ?? []))];
    report(problems.slice(0, 3).join(", or ") || "Matches none of the allowed schemas", place, run);
  } else for (const { path, message } of chosen.issues) report(message, { path }, run);
}

function checkCondition(schema: JsonObject, place: Place, run: Run): void {
  if (schema["if"] === undefined) return;
  const { issues, isVague } = tryOut(schema["if"], place, run);
  if (!isVague) check(schema[issues.length === 0 ? "then" : "else"], place, run);
}

function checkArray(
  schema: JsonObject,
  place: Place & { readonly value: readonly unknown[] },
  run: Run,
): void {
  const { value, path } = place;
  const issue = findArrayIssue(schema, value, run.budget);
  if (issue !== undefined) report(issue, place, run);
  const { items, prefixItems, additionalItems, contains } = schema;
  // Before 2020-12, `items` was a list, and `additionalItems` applied to the other elements.
  const first: readonly unknown[] = [prefixItems, items].find(Array.isArray) ?? [];
  const rest = Array.isArray(items) ? additionalItems : items;
  for (const [index, element] of value.entries()) {
    const one = index < first.length ? first[index] : rest;
    if (one !== undefined) check(one, { ...place, value: element, path: [...path, index] }, run);
    if (run.budget.left < 0 || run.issues.length >= MAX_ISSUES) return;
  }
  if (contains === undefined || schema["minContains"] === 0) return;
  const hasMatch = value.some(
    (element) => tryOut(contains, { ...place, value: element }, run).issues.length === 0,
  );
  if (!hasMatch) report("Lacks an element that the schema requires", place, run);
}

function checkObject(schema: JsonObject, place: Place & { readonly value: JsonObject }, run: Run): void {
  const { value, path } = place;
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  checkRequired(schema, place, run);
  checkCount(schema, names.length, { place, run });
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const patterns = isJsonObject(schema["patternProperties"])
    ? Object.entries(schema["patternProperties"])
    : [];
  for (const name of names) {
    if (run.budget.left < 0 || run.issues.length >= MAX_ISSUES) return;
    const member = { ...place, value: value[name], path: [...path, name] };
    check(schema["propertyNames"], { ...member, value: name }, run);
    const isDeclared = Object.hasOwn(properties, name);
    if (isDeclared) check(properties[name], member, run);
    const matches = patterns.map(([pattern, one]) => ({ one, matches: test(pattern, name, run) }));
    for (const { one } of matches.filter((found) => found.matches === true)) check(one, member, run);
    if (isDeclared || matches.some((found) => found.matches !== false)) continue;
    if (schema["additionalProperties"] === false) report("Unknown parameter", member, run);
    else check(schema["additionalProperties"], member, run);
  }
}

function checkRequired(schema: JsonObject, place: Place & { readonly value: JsonObject }, run: Run): void {
  const { value, path } = place;
  const has = (name: unknown) =>
    typeof name === "string" && Object.hasOwn(value, name) && value[name] !== undefined;
  const required: unknown[] = Array.isArray(schema["required"]) ? [...(schema["required"] as unknown[])] : [];
  for (const keyword of ["dependentRequired", "dependencies", "dependentSchemas"]) {
    const rules = isJsonObject(schema[keyword]) ? Object.entries(schema[keyword]) : [];
    run.budget.left -= rules.length;
    for (const [, rule] of rules.filter(([name]) => has(name))) {
      if (Array.isArray(rule)) required.push(...(rule as unknown[]));
      else check(rule, place, run);
    }
  }
  run.budget.left -= required.length;
  for (const name of new Set(required)) {
    if (typeof name === "string" && !has(name)) {
      report("Required parameter is missing", { path: [...path, name] }, run);
    }
  }
}

function checkCount(
  { minProperties, maxProperties }: JsonObject,
  count: number,
  { place, run }: { readonly place: Place; readonly run: Run },
): void {
  if (typeof minProperties === "number" && count < minProperties)
    report(`Expected at least ${minProperties} members; got ${count}`, place, run);
  if (typeof maxProperties === "number" && count > maxProperties)
    report(`Expected at most ${maxProperties} members; got ${count}`, place, run);
}
