/**
 * @fileoverview Restricts a grouped tool to the actions that a caller may use. The strategies see only those actions, so
 * nothing that they generate describes the others.
 * @module tenon/grouped/calls/restrictions
 */
import { isAllowed } from "../../core/wire/access.js";
import type { Auth } from "../../core/wire/exchange.js";
import type { McpToolDefinition } from "../../protocol/index.js";
import type { ActionFacts } from "../actions/action.js";
import { defineGroupedTool } from "./definitions.js";
import { compileRoutes, type Routes } from "./routes.js";
import type { ToolPlan } from "./tool-plan.js";

/** Compiled tool, as the builder caches it. */
export interface BuiltTool<Context> {
  readonly plan: ToolPlan<Context>;
  readonly definition: McpToolDefinition;
  readonly routes: Routes<Context>;
}

/** Compiles a tool with all its actions. */
export function createBuiltTool<Context>(plan: ToolPlan<Context>): BuiltTool<Context> {
  return { plan, definition: defineGroupedTool(plan), routes: compileRoutes(plan, false) };
}

/** Returns the tool with the actions that the caller may use, or `undefined` if there are none. */
export function restrictTool<Context>(
  { plan, routes }: Pick<BuiltTool<Context>, "plan" | "routes">,
  held: Pick<Auth, "scopes">,
): BuiltTool<Context> | undefined {
  const actions = plan.actions.filter((action) => mayUse(action, held));
  if (actions.length === 0) return undefined;
  const part: ToolPlan<Context> = Object.freeze({ ...plan, actions: Object.freeze(actions) });
  const keys = new Set(actions.map(({ key }) => key));
  return {
    plan: part,
    definition: defineGroupedTool(part),
    routes: new Map([...routes].filter(([key]) => keys.has(key))),
  };
}

/** Returns true if the caller holds all scopes of an action. */
export function mayUse({ scopes = [] }: ActionFacts, held: Pick<Auth, "scopes">): boolean {
  return isAllowed({ scopes }, held);
}

/** Returns all scopes that at least one action requires. */
export function scopesOfAny(actions: readonly ActionFacts[]): readonly string[] {
  return [...new Set(actions.flatMap(({ scopes = [] }) => scopes))];
}

/** Returns the scopes that every action requires. A caller that lacks one of them may not use any action. */
export function scopesOfAll(actions: readonly ActionFacts[]): readonly string[] {
  return scopesOfAny(actions).filter((scope) => actions.every(({ scopes = [] }) => scopes.includes(scope)));
}
