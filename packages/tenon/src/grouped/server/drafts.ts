/**
 * @fileoverview Converts a grouped tool to server entries: one tool, or one tool per action. The server treats them
 * like any other tool.
 * @module tenon/grouped/server/drafts
 */
import type { Call } from "../../core/call/call.js";
import {
  type CompileSettings,
  createToolEntry,
  type Exposition,
  type OutlinedAction,
  type RestrictedParts,
  type ToolDraft,
  type ToolEntry,
  type ToolParts,
} from "../../core/definitions/tool.js";
import { createScopedViews } from "../../core/snapshot/scoped-views.js";
import { PartError } from "../../core/definitions/tool-errors.js";
import type { JsonObject } from "@tenon/internal/json";
import { andThen, type MaybePromise } from "@tenon/internal/maybe-promise";
import { type ToolResult, TRAITS } from "../../protocol/index.js";
import type { ValidatedCall } from "../../schema/schema.js";
import type { ActionFacts, InternalAction } from "../actions/action.js";
import { defineFlatTool, flatName } from "../calls/definitions.js";
import { type BuiltTool, mayUse, restrictTool, scopesOfAll, scopesOfAny } from "../calls/restrictions.js";
import {
  compileRoute,
  compileRoutes,
  createRouteRunner,
  findRoute,
  handlerArguments,
  type Routed,
  validateFor,
} from "../calls/routes.js";
import type { ToolFacts } from "../calls/tool-plan.js";

/** Creates the context for a call, in place of the server's own context. */
export type ContextOf<Context> = (call: Call) => MaybePromise<Context>;

/** Converts a built tool to one draft, or to one draft per action if `expose` is `flat`. */
export function draftGrouped<Context>(
  built: BuiltTool<Context>,
  expose: Exposition = "grouped",
  contextOf?: ContextOf<Context>,
): readonly ToolDraft[] {
  switch (expose) {
    case "grouped":
      return [draftWhole(built, contextOf)];
    case "flat":
      return built.plan.actions.map((action) => draftAction(built, action, contextOf));
    default:
      throw new Error(`\`expose\` must be "grouped" or "flat"; got ${JSON.stringify(expose)}.`);
  }
}

function draftWhole<Context>(
  built: BuiltTool<Context>,
  contextOf: ContextOf<Context> | undefined,
): ToolDraft {
  const { plan } = built;
  const { name, discriminator, description, actions, tags } = plan;
  return {
    name,
    compile(settings) {
      const toEntry = ({ definition, routes, plan: part }: BuiltTool<Context>) =>
        createEntry(settings, {
          tags,
          contextOf,
          actions: part.actions,
          definition,
          scopes: scopesOfAll(actions),
          check: (args) => findRoute(routes, discriminator, args),
          outline: () => ({
            tool: name,
            description,
            actions: part.actions.map((action) =>
              outlineAction(part, action, { name, arguments: { [discriminator]: action.key } }),
            ),
          }),
        });
      const routes = settings.layers.length === 0 ? built.routes : compileRoutes(plan, true);
      const whole = { ...built, routes };
      return withRestrictions(whole, toEntry(whole), toEntry);
    },
  };
}

/** Adds the access rules for actions that require scopes which other actions do not require. */
function withRestrictions<Context>(
  built: BuiltTool<Context>,
  entry: ToolEntry,
  toEntry: (part: BuiltTool<Context>) => ToolEntry,
): ToolEntry {
  const { name, actions, discriminator } = built.plan;
  const scopes = scopesOfAny(actions);
  if (scopes.length === entry.scopes.length) return entry;
  const byKey = new Map(actions.map((action) => [action.key, action]));
  const select = createScopedViews<ToolEntry | undefined>({
    scopes,
    everything: entry,
    build(held) {
      const part = restrictTool(built, held);
      return part && toEntry(part);
    },
  });
  const find = (args: JsonObject) => byKey.get(args[discriminator] as string); // Safe: non-string values never match
  const restricted: RestrictedParts = {
    scopes,
    select,
    scopesOf: (args) => find(args)?.scopes ?? [],
    findDenied(args, auth) {
      const action = find(args);
      if (action === undefined || mayUse(action, auth)) return undefined;
      return { label: `Action "${action.key}" of tool "${name}"`, scopes: action.scopes ?? [] };
    },
  };
  return { ...entry, restricted };
}

function draftAction<Context>(
  { plan, routes }: BuiltTool<Context>,
  action: InternalAction<Context>,
  contextOf: ContextOf<Context> | undefined,
): ToolDraft {
  const name = flatName(plan.name, action);
  return {
    name,
    compile(settings) {
      const ready = settings.layers.length === 0 ? routes.get(action.key) : undefined;
      const found = ready ?? compileRoute(plan, action, true);
      return createEntry(settings, {
        tags: plan.tags,
        contextOf,
        actions: [action],
        definition: defineFlatTool(plan, action),
        scopes: action.scopes ?? [],
        check: (args) => validateFor(found, args),
        outline: () => ({
          tool: plan.name,
          description: plan.description,
          actions: [outlineAction(plan, action, { name, arguments: {} })],
        }),
      });
    },
  };
}

interface GroupedParts<Context> extends Pick<
  ToolParts,
  "definition" | "check" | "outline" | "tags" | "scopes"
> {
  readonly contextOf: ContextOf<Context> | undefined;
  /** Actions that the tool can call. */
  readonly actions: readonly InternalAction<Context>[];
}

function createEntry<Context>(
  settings: CompileSettings,
  { contextOf, actions, ...parts }: GroupedParts<Context>,
): ToolEntry {
  // `routed` is the value that `check` returned. `ctx` is the server's own context, or the one from `contextOf`.
  const run = (routed: ValidatedCall, call: Call, ctx: unknown) =>
    runRoute(routed as Routed<Context>, ctx as Context, call);
  return createToolEntry(settings, {
    ...parts,
    isFrozen: true, // see `calls/definitions.ts`
    handler:
      contextOf === undefined
        ? (_args, call, routed) => run(routed, call, call.context)
        : (_args, call, routed) => andThen(contextOf(call), (ctx) => run(routed, call, ctx)),
    taskOf: createTaskLookup(actions, contextOf),
    validationErrors: settings.validationErrors ?? "result",
    deadlineMs: settings.deadlineMs,
  });
}

/** Creates the function that returns the `task` option of the action that a call selects. */
function createTaskLookup<Context>(
  actions: readonly InternalAction<Context>[],
  contextOf: ContextOf<Context> | undefined,
): ToolEntry["taskOf"] {
  const tasks = new Map(
    actions.flatMap(({ key, task }) => (task === undefined ? [] : [[key, task] as const])),
  );
  if (tasks.size === 0) return undefined;
  // Safe: the server's own context has the type of the tool's context.
  const contextFor = contextOf ?? ((call: Call) => call.context as Context);
  return (checked) => {
    const { route } = checked as Routed<Context>; // Safe: `check` returned it
    const task = tasks.get(route.key);
    if (task === undefined) return undefined;
    const { prepare } = task;
    if (prepare === undefined) return { ...task, prepare };
    return {
      ...task,
      // Safe: `task-kind.ts` passes the arguments that `check` accepted.
      prepare: (args, call) =>
        andThen(contextFor(call), (ctx) => prepare(ctx, handlerArguments(route, args as JsonObject), call)),
    };
  };
}

const runRoute = /* @__PURE__ */ createRouteRunner(fail);

/** Rethrows an action's error with its label. The server's error policy decides how much of it clients see. */
function fail(label: string, error: unknown, call: Call | undefined): ToolResult {
  // In revisions where clients send input by retrying the call, the core reports invalid input as a protocol error.
  const isFault = call?.questions?.isFault(error) === true && TRAITS[call.client.revision].inputByRetry;
  if (isFault) throw error;
  throw new PartError(label, error);
}

function outlineAction(tool: ToolFacts, action: ActionFacts, call: OutlinedAction["call"]): OutlinedAction {
  const { actionName, groupName, groupDescription } = action;
  const group = groupName === undefined ? undefined : { name: groupName, description: groupDescription };
  const scopes = action.scopes === undefined ? {} : { scopes: action.scopes };
  return { name: actionName, group, definition: defineFlatTool(tool, action), call, ...scopes };
}
