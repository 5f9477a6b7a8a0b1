/**
 * @fileoverview Usage marks at the end of a field's description. They list the actions that require or accept the field.
 * @module tenon/grouped/strategies/field-marks
 */
import type { ActionFacts } from "../actions/action.js";
import { hasWorkflowLine } from "./description-generator.js";

/**
 * Form of the marks.
 *
 * - `actions`: every mark lists action keys.
 * - `modules`: a mark lists a group instead of its actions if the workflow section has the details.
 * - `common`: only common fields are marked, because the TOON table lists all other fields.
 */
export type FieldMarks = "actions" | "modules" | "common";

/** Actions that use a field. */
export interface FieldUsers {
  /** True if the common schema declares the field. */
  readonly common: boolean;
  /** True if the common schema requires the field. */
  readonly always: boolean;
  readonly usedIn: ReadonlySet<string>;
  readonly requiredIn: ReadonlySet<string>;
}

/** Returns a field's mark, or an empty text. */
export type FieldMarker = (users: FieldUsers) => string;

/** An action and the required fields that it declares itself. */
export type MarkedAction = readonly [action: ActionFacts, ownRequired: readonly string[]];

/** Creates a function that writes marks: the actions that require a field, then those that accept it. */
export function createFieldMarker(form: FieldMarks, actions: readonly MarkedAction[]): FieldMarker {
  if (form === "actions") return markActions;
  const nameUsers = form === "modules" ? createModuleNaming(actions) : () => ({ required: [], optional: [] });
  return (users) => (users.common ? markCommon(users) : toMark(nameUsers(users)));
}

/** Names of the actions or groups in a mark. */
interface MarkNames {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

function markActions({ always, usedIn, requiredIn }: FieldUsers): string {
  if (always) return ALWAYS;
  return toMark({
    required: [...requiredIn],
    optional: [...usedIn].filter((key) => !requiredIn.has(key)),
  });
}

/** Marks a common field without a list of all actions. */
function markCommon({ always, usedIn, requiredIn }: FieldUsers): string {
  if (always) return ALWAYS;
  if (requiredIn.size === 0) return toMark({ required: [], optional: ["all actions"] });
  const optional = requiredIn.size === usedIn.size ? [] : ["all other actions"];
  return toMark({ required: [...requiredIn], optional });
}

/**
 * Names a group instead of its actions if they agree on the field and the workflow section lists all of them. Otherwise
 * the mark is the only place that names them.
 */
function createModuleNaming(actions: readonly MarkedAction[]): (users: FieldUsers) => MarkNames {
  const groups = new Map(actions.map(([{ key, groupName }]) => [key, groupName]));
  const listed = new Set(
    actions.filter(([action, required]) => hasWorkflowLine(action, required)).map(([{ key }]) => key),
  );
  return ({ usedIn, requiredIn }) => {
    // Groups whose actions disagree or are not listed. Without a group, an action is always named.
    const split = new Set<string | undefined>();
    const firsts = new Map<string | undefined, string>();
    for (const key of usedIn) {
      const group = groups.get(key);
      const first = firsts.get(group) ?? key;
      firsts.set(group, first);
      if (!listed.has(key) || requiredIn.has(first) !== requiredIn.has(key)) split.add(group);
    }
    const nameOf = (key: string) => {
      const group = groups.get(key);
      return group === undefined || split.has(group) ? key : group;
    };
    return {
      required: [...new Set(Array.from(requiredIn, nameOf))],
      optional: [...new Set([...usedIn].filter((key) => !requiredIn.has(key)).map(nameOf))],
    };
  };
}

const ALWAYS = "(always required)";

function toMark({ required, optional }: MarkNames): string {
  const parts = [
    required.length > 0 ? `Required for: ${required.join(", ")}` : "",
    optional.length > 0 ? `For: ${optional.join(", ")}` : "",
  ];
  return parts.filter((part) => part !== "").join(". ");
}
