/**
 * @fileoverview Generates a grouped tool's description with a TOON table of its actions, which uses fewer tokens.
 * @module tenon/grouped/strategies/toon-description-generator
 */
import type { ActionFacts } from "../actions/action.js";
import type { DescriptionInput } from "./description-generator.js";
import { groupActions, groupPurpose } from "./groups.js";
import { getActionRequiredFields, listOwnFields } from "./schema-utils.js";
import { joinSentences } from "./sentence.js";

/**
 * Encodes a value as TOON.
 *
 * @example (value) => encode(value, { delimiter: "|" }) // `encode` from \@toon-format/toon
 */
export type ToonEncoder = (value: unknown) => string;

/** Generates a tool's description. `encode` formats the table of actions. */
export type ToonDescriptionGenerator = (input: DescriptionInput, encode: ToonEncoder) => string;

/** Table row for one action. TOON writes a table only if all rows have the same columns. */
export type ActionRow = {
  readonly action: string;
  /** Purpose of the action. Ends with its optional fields if `listsFields` is set. */
  readonly desc: string;
  /** Field names joined by commas. TOON does not write a table if a cell contains a list. */
  readonly required: string;
  readonly destructive: boolean;
};

/** Generates a summary line with the groups' descriptions, then one table, or one table per group. */
export function generateToonDescription(input: DescriptionInput, encode: ToonEncoder): string {
  const { actions, name, description, hasGroup } = input;
  const table = hasGroup
    ? toGroupedRows(input)
    : actions.map((action) => toActionRow(action, action.key, input));
  return [describeGroups(actions, description || name), "", encode(table)].join("\n");
}

/** Adds the description of each group: `The platform. users: People. billing: Invoices`. */
function describeGroups(actions: readonly ActionFacts[], summary: string): string {
  let text = summary;
  for (const [group, members] of groupActions(actions)) {
    const purpose = groupPurpose(members);
    if (purpose !== "") text = joinSentences(text, `${group}: ${purpose}`);
  }
  return text;
}

function toGroupedRows(input: DescriptionInput): Readonly<Record<string, readonly ActionRow[]>> {
  return Object.fromEntries(
    Array.from(groupActions(input.actions), ([group, members]) => [
      group,
      members.map((action) => toActionRow(action, action.actionName, input)),
    ]),
  );
}

function toActionRow(action: ActionFacts, label: string, input: DescriptionInput): ActionRow {
  const { requiredFields = getActionRequiredFields, commonSchema, listsFields = false } = input;
  const { description = "" } = action;
  const optional = listsFields ? listOwnFields(action, input).optional : [];
  // Without a colon, because TOON quotes cells that contain one.
  const note = optional.length === 0 ? "" : `(optional ${optional.join(", ")})`;
  return {
    action: label,
    desc: [description, note].filter((part) => part !== "").join(" "),
    required: requiredFields(action, commonSchema).join(","),
    destructive: action.destructive,
  };
}
