/**
 * @fileoverview Generates a grouped tool's description: a summary line that lists the actions, then each action's
 * purpose and required fields. The purpose of each field is part of the input schema.
 * @module grouped/strategies/description-generator
 */
import type { StandardSchema } from "../../schema/schema.js";
import type { ActionFacts } from "../actions/action.js";
import { getActionRequiredFields, type RequiredFieldsReader } from "./schema-utils.js";
import { joinSentences } from "./sentence.js";

/** Input for a description generator. */
export interface DescriptionInput {
  readonly actions: readonly ActionFacts[];
  /** Tool name, used if the description is missing or empty. */
  readonly name: string;
  readonly description?: string | undefined;
  readonly hasGroup: boolean;
  /** Common schema. Its required fields are listed with each action. */
  readonly commonSchema?: StandardSchema | undefined;
  /** Reads an action's required fields. @default getActionRequiredFields */
  readonly requiredFields?: RequiredFieldsReader | undefined;
}

/** Generates a tool's description from its actions. */
export type DescriptionGenerator = (input: DescriptionInput) => string;

/**
 * Generates the summary line and a workflow section. The section lists actions that have a description, required
 * fields, or a warning.
 */
export function generateDescription(input: DescriptionInput): string {
  const { actions, name, description, hasGroup } = input;
  const listing = hasGroup
    ? `Modules: ${getGroupSummaries(actions).join(" | ")}`
    : `Actions: ${actions.map(({ key }) => key).join(", ")}`;
  const summary = joinSentences(description || name, listing);
  const workflow = actions.flatMap((action) => toWorkflowLine(action, input) ?? []);
  return workflow.length === 0 ? summary : [summary, "", "Workflow:", ...workflow].join("\n");
}

/** Returns a text such as `users (list,create,ban)` for each group, in order of first use. */
export function getGroupSummaries(actions: readonly ActionFacts[]): readonly string[] {
  return Array.from(
    groupActions(actions),
    ([group, members]) => `${group} (${members.map(({ actionName }) => actionName).join(",")})`,
  );
}

/** Returns the actions by group, in order of first use. An action without a group forms its own group. */
export function groupActions(actions: readonly ActionFacts[]): ReadonlyMap<string, readonly ActionFacts[]> {
  const groups = new Map<string, ActionFacts[]>();
  for (const action of actions) {
    const group = action.groupName ?? action.key;
    const members = groups.get(group);
    if (members === undefined) groups.set(group, [action]);
    else members.push(action);
  }
  return groups;
}

function toWorkflowLine(action: ActionFacts, input: DescriptionInput): string | undefined {
  const { key, description, destructive } = action;
  const { requiredFields = getActionRequiredFields, commonSchema } = input;
  const required = requiredFields(action, commonSchema);
  const detail =
    required.length > 0
      ? joinSentences(description, `Requires: ${required.join(", ")}`)
      : (description?.trimEnd() ?? "");
  const parts = [detail, destructive ? "⚠️ DESTRUCTIVE" : ""].filter((part) => part !== "");
  return parts.length === 0 ? undefined : `- '${key}': ${parts.join(" ")}`;
}
