/**
 * @fileoverview The description of a grouped tool with its actions as a TOON table, which costs fewer tokens.
 * @module grouped/strategies/toon-description-generator
 */
import type { ActionFacts } from "../actions/action.js";
import { type DescriptionInput, groupActions } from "./description-generator.js";
import { getActionRequiredFields } from "./schema-utils.js";

/**
 * Writes a value as TOON.
 *
 * @example (value) => encode(value, { delimiter: "|" }) // encode of \@toon-format/toon
 */
export type ToonEncoder = (value: unknown) => string;

/** Gives the description of a tool, with the table written by the encoder. */
export type ToonDescriptionGenerator = (input: DescriptionInput, encode: ToonEncoder) => string;

/** One action in the table. TOON makes a table only of rows that all have every column. */
export type ActionRow = {
  readonly action: string;
  readonly desc: string;
  /** Names joined by commas, since a list inside a row would end the table. */
  readonly required: string;
  readonly destructive: boolean;
};

/** Writes the summary line and one table, or one table for each group. */
export function generateToonDescription(input: DescriptionInput, encode: ToonEncoder): string {
  const { actions, name, description, hasGroup } = input;
  const table = hasGroup
    ? toGroupedRows(input)
    : actions.map((action) => toActionRow(action, action.key, input));
  return [description || name, "", encode(table)].join("\n");
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
  const { requiredFields = getActionRequiredFields, commonSchema } = input;
  return {
    action: label,
    desc: action.description ?? "",
    required: requiredFields(action, commonSchema).join(","),
    destructive: action.destructive,
  };
}
