/**
 * @fileoverview Error texts for invalid calls to a grouped tool: a fixed first line, then a hint for the correct call.
 * @module tenon/grouped/calls/hints
 */
import { closestName } from "@tenon/internal/names/closest-name";
import type { JsonObject } from "@tenon/internal/json";
import { describeIssues } from "../../schema/issues.js";
import type { Issue } from "../../schema/schema.js";

/** Action key and fields, as the hints list them. */
export interface HintedAction {
  readonly key: string;
  readonly fields: readonly { readonly name: string; readonly required: boolean }[];
}

/** Describes a call without the discriminator. Suggests the action that fits the arguments. */
export function describeMissingAction(
  discriminator: string,
  actions: ReadonlyMap<string, HintedAction>,
  args: JsonObject,
): string {
  const fitting = findFitting(actions, args);
  const hint =
    fitting === undefined
      ? `Set "${discriminator}" to one of them.`
      : `Did you mean ${JSON.stringify(fitting.key)}? ${describeFields(fitting)}`;
  return addHint(`${discriminator} is required. Available: ${joinNames(actions.keys())}`, hint);
}

/** Call whose discriminator does not name an action. */
export interface UnknownAction {
  readonly discriminator: string;
  /** Value of the discriminator. */
  readonly value: unknown;
  readonly args: JsonObject;
}

/** Describes a call whose discriminator does not name an action. Suggests the closest names. */
export function describeUnknownAction(
  actions: ReadonlyMap<string, HintedAction>,
  { discriminator, value, args }: UnknownAction,
): string {
  const line = `Unknown ${discriminator}. Available: ${joinNames(actions.keys())}`;
  const { [discriminator]: _value, ...fields } = args;
  const meant =
    typeof value === "string" && value.length <= MAX_NAME ? findMeant(actions, value, fields) : [];
  const [first] = meant;
  if (first === undefined) return line;
  if (meant.length === 1)
    return addHint(line, `Did you mean ${JSON.stringify(first.key)}? ${describeFields(first)}`);
  return addHint(line, `Did you mean ${joinAlternatives(meant.map(({ key }) => JSON.stringify(key)))}?`);
}

/** Rejected arguments and the issues found in them. */
export interface InvalidCall {
  readonly issues: readonly Issue[];
  readonly args: JsonObject;
  readonly discriminator: string;
}

/** Describes a call whose arguments failed validation. Suggests names for misspelled fields. */
export function describeInvalidFields(
  action: HintedAction,
  { issues, args, discriminator }: InvalidCall,
): string {
  const names = action.fields.map(({ name }) => name);
  const misspelt = Object.keys(args)
    .slice(0, MAX_MISSPELT * 4)
    .flatMap((sent) => {
      const isKnown = sent === discriminator || names.includes(sent);
      const meant = isKnown ? undefined : closestName(sent, names);
      return meant === undefined || Object.hasOwn(args, meant)
        ? []
        : `Did you mean "${meant}" instead of ${quote(sent)}?`;
    });
  return addHint(
    `Validation failed: ${describeIssues(issues)}`,
    [...misspelt.slice(0, MAX_MISSPELT), describeFields(action)].join(" "),
  );
}

/** Describes a call to a tool that does not exist. Suggests the closest name. */
export function describeUnknownTool(name: string, names: readonly string[]): string {
  const closest = closestName(name, names);
  return addHint(
    `Unknown tool: ${quote(name)}. Available tools: ${joinNames(names)}`,
    closest === undefined ? "" : `Did you mean "${closest}"?`,
  );
}

/**
 * Finds the actions that an unknown name may stand for: the actions with this name in any group, or else the action with
 * the closest key or name. If several actions remain, the arguments decide.
 */
function findMeant(
  actions: ReadonlyMap<string, HintedAction>,
  value: string,
  args: JsonObject,
): readonly HintedAction[] {
  const named = findNamed(actions, value);
  const closest = named.length > 0 ? undefined : closestName(value, actions.keys());
  const near = closest === undefined ? undefined : actions.get(closest);
  if (near !== undefined) return [near];
  const close = named.length > 0 ? named : findClosestName(actions, value);
  if (close.length < 2) return close;
  const fitting = findFitting(new Map(close.map((action) => [action.key, action])), args);
  return fitting === undefined ? close : [fitting];
}

/** Returns the actions whose key without the group equals a name. */
function findNamed(actions: ReadonlyMap<string, HintedAction>, name: string): readonly HintedAction[] {
  const wanted = name.toLowerCase();
  return [...actions.values()].filter(({ key }) => nameOf(key).toLowerCase() === wanted);
}

function findClosestName(actions: ReadonlyMap<string, HintedAction>, value: string): readonly HintedAction[] {
  const closest = closestName(value, Array.from(actions.keys(), nameOf));
  return closest === undefined ? [] : findNamed(actions, closest);
}

/** Returns the name of an action without its group. */
function nameOf(key: string): string {
  return key.slice(key.indexOf(".") + 1);
}

/** Joins names as `"a" or "b"`, and counts those beyond the limit. */
function joinAlternatives(names: readonly string[]): string {
  const shown = names.slice(0, MAX_ALTERNATIVES);
  const left = names.length - shown.length;
  const others = left === 1 ? "1 other" : `one of ${left} others`;
  const last = left > 0 ? others : (shown.pop() ?? "");
  return `${shown.join(", ")}${shown.length > 1 ? "," : ""} or ${last}`;
}

/** Maximum length of a name that is compared: a group, a dot, and an action. */
const MAX_NAME = 129;
const MAX_ALTERNATIVES = 8;
const MAX_LISTED = 4_000;
const MAX_HINT = 1_000;
const MAX_MISSPELT = 3;

/** Joins names up to a maximum length, followed by the number of omitted names. */
function joinNames(names: Iterable<string>): string {
  const shown: string[] = [];
  let length = 0;
  let left = 0;
  for (const name of names) {
    length += name.length + 2;
    if (length > MAX_LISTED) left++;
    else shown.push(name);
  }
  return left === 0 ? shown.join(", ") : `${shown.join(", ")}, … and ${left} more`;
}

function describeFields({ key, fields }: HintedAction): string {
  if (fields.length === 0) return `"${key}" takes no fields.`;
  const names = fields.map(({ name, required }) => (required ? `${name} (required)` : name));
  return `"${key}" takes: ${names.join(", ")}.`;
}

/** Finds the only action that declares every sent field and whose required fields were all sent. */
function findFitting(actions: ReadonlyMap<string, HintedAction>, args: JsonObject): HintedAction | undefined {
  const sent = Object.keys(args);
  // With too many actions or fields, the search costs more than the hint is worth.
  if (sent.length === 0 || sent.length > MAX_COMPARED || actions.size > MAX_COMPARED) return undefined;
  const fitting: HintedAction[] = [];
  for (const action of actions.values()) {
    const names = new Set(action.fields.map(({ name }) => name));
    const fits =
      sent.every((name) => names.has(name)) &&
      action.fields.every(({ name, required }) => !required || Object.hasOwn(args, name));
    if (fits) fitting.push(action);
  }
  return fitting.length === 1 ? fitting[0] : undefined;
}

const MAX_COMPARED = 100;

function quote(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name);
}

function addHint(line: string, hint: string): string {
  if (hint === "") return line;
  return `${line}\n${hint.length > MAX_HINT ? `${hint.slice(0, MAX_HINT)}…` : hint}`;
}
