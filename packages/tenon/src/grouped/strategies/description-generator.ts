/**
 * @fileoverview Generates a grouped tool's description: a summary line that lists the actions, then each action's
 * purpose and fields. The purpose of each field is part of the input schema.
 * @module tenon/grouped/strategies/description-generator
 */
import type { StandardSchema } from "../../schema/schema.js";
import type { ActionFacts } from "../actions/action.js";
import { groupActions, groupPurpose } from "./groups.js";
import { getActionRequiredFields, listOwnFields, type RequiredFieldsReader } from "./schema-utils.js";
import { joinSentences } from "./sentence.js";

/** Input for a description generator. */
export interface DescriptionInput {
  readonly actions: readonly ActionFacts[];
  /** Tool name, used if the description is missing or empty. */
  readonly name: string;
  readonly description?: string | undefined;
  readonly hasGroup: boolean;
  /** Common schema. Its required fields are listed with each action, or once if `listsFields` is set. */
  readonly commonSchema?: StandardSchema | undefined;
  /** Reads an action's required fields. @default getActionRequiredFields */
  readonly requiredFields?: RequiredFieldsReader | undefined;
  /**
   * Lists the optional fields of each action too, so that the input schema need not repeat them. The builder sets it
   * for tools with groups. The plain text then has a heading per group and a signature per action.
   *
   * @default false
   */
  readonly listsFields?: boolean | undefined;
}

/** Generates a tool's description from its actions. */
export type DescriptionGenerator = (input: DescriptionInput) => string;

/**
 * Generates the summary line and a workflow section. The section lists actions that have a description, required
 * fields of their own, or a warning.
 */
export function generateDescription(input: DescriptionInput): string {
  const { actions, name, description, hasGroup, listsFields = false } = input;
  const listing = hasGroup
    ? `Modules: ${getGroupSummaries(actions).join(" | ")}`
    : `Actions: ${actions.map(({ key }) => key).join(", ")}`;
  const summary = joinSentences(description || name, listing);
  const workflow = listsFields
    ? toSignatures(input)
    : actions.flatMap((action) => toWorkflowLine(action, input) ?? []);
  return workflow.length === 0 ? summary : [summary, "", "Workflow:", ...workflow].join("\n");
}

/** Returns a text such as `users (list,create,ban)` for each group, in order of first use. */
export function getGroupSummaries(actions: readonly ActionFacts[]): readonly string[] {
  return Array.from(
    groupActions(actions),
    ([group, members]) => `${group} (${members.map(({ actionName }) => actionName).join(",")})`,
  );
}

/** Returns true if the workflow section lists an action. Common fields do not count, because every action has them. */
export function hasWorkflowLine(
  { description = "", destructive }: ActionFacts,
  ownRequired: readonly string[],
): boolean {
  return description.trimEnd() !== "" || destructive || ownRequired.length > 0;
}

function toWorkflowLine(action: ActionFacts, input: DescriptionInput): string | undefined {
  const { key, description } = action;
  const { requiredFields = getActionRequiredFields, commonSchema } = input;
  if (!hasWorkflowLine(action, requiredFields(action))) return undefined;
  const required = requiredFields(action, commonSchema);
  const detail =
    required.length > 0
      ? joinSentences(description, `Requires: ${required.join(", ")}`)
      : (description?.trimEnd() ?? "");
  return `- '${key}': ${withWarning(detail, action)}`;
}

/** Returns a heading for each group and a signature for each action, such as `get(userId, page?): Show one user`. */
function toSignatures(input: DescriptionInput): readonly string[] {
  const { actions, commonSchema, requiredFields } = input;
  const always = new Set<string>();
  const lines = Array.from(groupActions(actions), ([group, members]) => {
    const purpose = groupPurpose(members);
    const signatures = members.flatMap((action) => {
      const fields = listOwnFields(action, { commonSchema, requiredFields });
      for (const name of fields.common) always.add(name);
      return hasWorkflowLine(action, fields.required) ? toSignature(action, fields) : [];
    });
    if (signatures.length === 0 && purpose === "") return [];
    return [purpose === "" ? `# ${group}` : `# ${group}: ${purpose}`, ...signatures];
  }).flat();
  if (lines.length === 0 || always.size === 0) return lines;
  return [`Every action requires: ${[...always].join(", ")}`, ...lines];
}

function toSignature(
  action: ActionFacts,
  { required, optional }: { readonly required: readonly string[]; readonly optional: readonly string[] },
): string {
  const names = [...required, ...optional.map((name) => `${name}?`)];
  const call = `${action.actionName}(${names.join(", ")})`;
  const detail = action.description?.trimEnd() ?? "";
  return withWarning(detail === "" ? call : `${call}: ${detail}`, action);
}

function withWarning(text: string, { destructive }: ActionFacts): string {
  return [text, destructive ? "⚠️ DESTRUCTIVE" : ""].filter((part) => part !== "").join(" ");
}
