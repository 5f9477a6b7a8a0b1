/**
 * @fileoverview Option names for grouped tools, and suggestions for names that other libraries use. A misspelled option
 * fails when the tool is declared.
 * @module grouped/option-rules
 */
import { assertKnownOptions, type OptionNames, type OptionRule } from "@tenon/internal/names/known-options";
import { assertScopes } from "../core/definitions/definition-checks.js";
import type { StandardSchema } from "../schema/schema.js";
import type { ActionConfig } from "./actions/action.js";
import type { ExplicitAnnotations } from "./strategies/annotation-aggregator.js";
import type { Strategies } from "./strategies/defaults.js";

/** Throws a `TypeError` if an action has an unknown option, or if its `scopes` are invalid. */
export function assertActionOptions(config: object, key: string): void {
  const label = `Action "${key}"`;
  assertKnownOptions(config, { label, names: ACTION, aliases: ACTION_ALIASES });
  // Safe: the rule above accepts only options of `ActionConfig`.
  assertScopes(label, (config as { readonly scopes?: unknown }).scopes);
}

/** Returns the rule for `createTool` options. */
export function builderRule(tool: string): OptionRule {
  return { label: `Builder "${tool}"`, names: { strategies: true }, aliases: { strategy: "strategies" } };
}

/** Returns the rule for `createTool` strategies. */
export function strategyRule(tool: string): OptionRule {
  return { label: `Builder "${tool}": \`strategies\``, names: STRATEGIES };
}

/** Returns the rule for the hints in `.annotations()`. */
export function hintRule(tool: string): OptionRule {
  return { label: `Builder "${tool}": annotations`, names: HINTS, aliases: HINT_ALIASES };
}

/** Returns the rule for `.toonDescription()` options. */
export function toonRule(tool: string): OptionRule {
  return { label: `Builder "${tool}": toonDescription`, names: { delimiter: true } };
}

/** Rule for `attachToServer` options. */
export const ATTACH_RULE: OptionRule = {
  label: "attachToServer",
  names: { filter: true, contextFactory: true, expose: true },
  aliases: { context: "contextFactory", createContext: "contextFactory", tags: "filter" },
};

const ACTION: OptionNames<ActionConfig<unknown, StandardSchema | undefined, unknown>> = {
  name: true,
  description: true,
  schema: true,
  destructive: true,
  idempotent: true,
  readOnly: true,
  scopes: true,
  middleware: true,
  task: true,
  handler: true,
};

const ACTION_ALIASES = {
  input: "schema",
  inputSchema: "schema",
  parameters: "schema",
  params: "schema",
  args: "schema",
  callback: "handler",
  execute: "handler",
  run: "handler",
  use: "middleware",
  scope: "scopes",
  requiredScopes: "scopes",
  destructiveHint: "destructive",
  idempotentHint: "idempotent",
  readOnlyHint: "readOnly",
  tasks: "task",
  taskSupport: "task",
  execution: "task",
};

const STRATEGIES: OptionNames<Strategies> = {
  inputSchema: true,
  description: true,
  toonDescription: true,
  annotations: true,
  middleware: true,
  requiredFields: true,
};

const HINTS: OptionNames<ExplicitAnnotations> = {
  title: true,
  readOnlyHint: true,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: true,
  returnDirect: true,
};

const HINT_ALIASES = {
  readOnly: "readOnlyHint",
  destructive: "destructiveHint",
  idempotent: "idempotentHint",
  openWorld: "openWorldHint",
};
