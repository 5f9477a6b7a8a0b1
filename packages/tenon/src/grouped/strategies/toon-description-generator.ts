/**
 * @fileoverview Generates the description of a grouped tool with a TOON table of its actions, which uses fewer tokens.
 * @module grouped/strategies/toon-description-generator
 */
import type { ActionFacts } from "../actions/action.js";
import { type DescriptionInput, groupActions } from "./description-generator.js";
import { getActionRequiredFields } from "./schema-utils.js";

/**
 * Encodes a value as TOON.
 *
 * @example (value) => encode(value, { delimiter: "|" }) // encode of \@toon-format/toon
 */
export type ToonEncoder = (value: unknown) => string;

/** Generates the description of a tool, with a table from the encoder. */
export type ToonDescriptionGenerator = (input: DescriptionInput, encode: ToonEncoder) => string;

/** One action in the table. TOON creates a table only if all rows have every column. */
export type ActionRow = {
  readonly action: string;
  readonly desc: string;
  /** Names joined by commas, because a list in a row would prevent the table. */
  readonly required: string;
  readonly destructive: boolean;
};

/** Generates the summary line and one table, or one table for each group. */
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
