/**
 * @fileoverview What a model is told when it calls a grouped tool wrongly: a first line that is always the same, then
 * what would have been right.
 * @module grouped/hints
 */
import { closestName } from "@tenon/internal/closest-name";
import type { JsonObject } from "@tenon/internal/json";
import { describeIssues } from "../../schema/issues.js";
import type { Issue } from "../../schema/schema.js";

/** An action, as far as a hint needs it. */
export interface HintedError {
  readonly key: string;
  readonly fields: readonly { readonly name: string; readonly required: boolean }[];
}

/** The discriminator is missing. */
export function teachMissingAction(
  discriminator: string,
  actions: ReadonlyMap<string, HintedError>,
  args: JsonObject,
): string {
  const fitting = findFitting(actions, args);
  const hint =
    fitting === undefined
      ? `Set "${discriminator}" to one of them.`
      : `Did you mean ${JSON.stringify(fitting.key)}? ${describeFields(fitting)}`;
  return withLesson(`${discriminator} is required. Available: ${joinNames(actions.keys())}`, hint);
}

/** The discriminator names no action. */
export function teachUnknownAction(
  discriminator: string,
  actions: ReadonlyMap<string, HintedError>,
  value: unknown,
): string {
  const closest = typeof value === "string" ? closestName(value, actions.keys()) : undefined;
  const action = closest === undefined ? undefined : actions.get(closest);
  return withLesson(
    `Unknown ${discriminator}. Available: ${joinNames(actions.keys())}`,
    action === undefined ? "" : `Did you mean ${JSON.stringify(action.key)}? ${describeFields(action)}`,
  );
}

/** The arguments do not fit the action. */
export function teachFields(
  action: HintedError,
  issues: readonly Issue[],
  args: JsonObject,
  discriminator: string,
): string {
  const names = action.fields.map(({ name }) => name);
  const misspelt = Object.keys(args)
    .slice(0, MAX_MISSPELT * 4)
    .flatMap((sent) => {
      const isKnown = sent === discriminator || names.includes(sent);
      const meant = isKnown ? undefined : closestName(sent, names);
      return meant === undefined || Object.hasOwn(args, meant)
        ? []
        : `Did you mean "${meant}" by ${quote(sent)}?`;
    });
  return withLesson(
    `Validation failed: ${describeIssues(issues)}`,
    [...misspelt.slice(0, MAX_MISSPELT), describeFields(action)].join(" "),
  );
}

/** The registry has no tool of that name. */
export function teachUnknownTool(name: string, names: readonly string[]): string {
  const closest = closestName(name, names);
  return withLesson(
    `Unknown tool: ${quote(name)}. Available tools: ${joinNames(names)}`,
    closest === undefined ? "" : `Did you mean "${closest}"?`,
  );
}

const MAX_LISTED = 4_000;
const MAX_LESSON = 1_000;
const MAX_MISSPELT = 3;

/** Names, as many as a bounded line holds, and how many more there are. */
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

function describeFields({ key, fields }: HintedError): string {
  if (fields.length === 0) return `"${key}" takes no fields.`;
  const names = fields.map(({ name, required }) => (required ? `${name} (required)` : name));
  return `"${key}" takes: ${names.join(", ")}.`;
}

/** The one action that takes all the fields that were sent and lacks none that it needs. */
function findFitting(actions: ReadonlyMap<string, HintedError>, args: JsonObject): HintedError | undefined {
  const sent = Object.keys(args);
  // Among very many actions no guess is worth its work.
  if (sent.length === 0 || sent.length > MAX_COMPARED || actions.size > MAX_COMPARED) return undefined;
  const fitting: HintedError[] = [];
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

function withLesson(line: string, hint: string): string {
  if (hint === "") return line;
  return `${line}\n${hint.length > MAX_LESSON ? `${hint.slice(0, MAX_LESSON)}…` : hint}`;
}
