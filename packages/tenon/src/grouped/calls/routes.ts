/**
 * @fileoverview Routes a call to its action with one map lookup, one check, and one compiled function.
 * @module tenon/grouped/calls/routes
 */
import type { Call } from "../../core/call/call.js";
import { ArgumentsError } from "../../core/definitions/tool-errors.js";
import { isInstance } from "@tenon/internal/thrown";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { andThen, isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import { kindOf } from "@tenon/internal/kind-of";
import { McpError, type ToolResult } from "../../protocol/index.js";
import type { CheckResult, ValidatedCall } from "../../schema/schema.js";
import type { ActionFacts, InternalAction } from "../actions/action.js";
import { type ArgumentCheck, createArgumentCheck } from "./argument-check.js";
import {
  describeInvalidFields,
  describeMissingAction,
  describeUnknownAction,
  type HintedAction,
} from "./hints.js";
import type { ChainFn } from "../strategies/middleware-compiler.js";
import { fieldsOf, joinFields, toActionSchema, toCommonSchema } from "../strategies/schema-utils.js";
import type { ToolPlan } from "./tool-plan.js";

/** Compiled action: its argument check and its handler chain. */
export interface Route<Context> extends HintedAction {
  /** Prefix for error texts, such as `[platform/users.create]`. */
  readonly label: string;
  readonly action: ActionFacts;
  /** Name of the field that selects the action. */
  readonly discriminator: string;
  readonly check: ArgumentCheck;
  /**
   * Compiled middleware chain, or the configured handler if no middleware applies. The handler's return value still
   * has to be converted to a tool result.
   */
  readonly run: (ctx: Context, args: JsonObject, call?: Call) => unknown;
  /** True if middleware sees the arguments. They then include the action key. */
  readonly showsKey: boolean;
}

/** Compiled actions of a tool, by key. */
export type Routes<Context> = ReadonlyMap<string, Route<Context>>;

/** Validated arguments and the action that receives them. */
export interface Routed<Context> extends ValidatedCall {
  readonly value: JsonObject;
  readonly route: Route<Context>;
}

/**
 * Compiles all actions of a tool.
 *
 * @param shownOutside true if middleware around the whole tool also sees the arguments
 */
export function compileRoutes<Context>(plan: ToolPlan<Context>, shownOutside: boolean): Routes<Context> {
  const { name, commonSchema, discriminator, strict, strategies, middleware } = plan;
  const common = commonSchema === undefined ? [] : fieldsOf(toCommonSchema(commonSchema));
  const showsKey = (action: InternalAction<Context>) =>
    shownOutside || middleware.length > 0 || action.middleware.length > 0;
  const actions = plan.actions.map((action) =>
    showsKey(action) ? { ...action, handler: withoutKey(action.handler, discriminator) } : action,
  );
  const chains = strategies.middleware(actions, middleware);
  return new Map(
    plan.actions.map((action) => {
      const { key } = action;
      const chain = chains.get(key);
      if (chain === undefined)
        throw new Error(
          `Tool "${name}": the middleware strategy did not return a chain for action "${key}".`,
        );
      const route: Route<Context> = {
        key,
        label: `[${name}/${key}]`,
        action,
        discriminator,
        fields: joinFields(common, fieldsOf(toActionSchema(action))),
        check: createArgumentCheck(action, { commonSchema, discriminator, strict }),
        // Without middleware, the default compiler returns the handler itself.
        run: chain === action.handler ? (action.plainHandler ?? chain) : withResult(chain),
        showsKey: showsKey(action),
      };
      return [key, route];
    }),
  );
}

/** Compiles a single action of a tool. */
export function compileRoute<Context>(
  plan: ToolPlan<Context>,
  action: InternalAction<Context>,
  shownOutside: boolean,
): Route<Context> {
  const found = compileRoutes({ ...plan, actions: [action] }, shownOutside).get(action.key);
  if (found === undefined)
    throw new Error(`Tool "${plan.name}": action "${action.key}" is missing. This is a bug in Tenon.`);
  return found;
}

/** Finds the selected action and validates the arguments. @throws {ArgumentsError} with a hint for the model */
export function findRoute<Context>(
  routes: Routes<Context>,
  discriminator: string,
  args: JsonObject,
): MaybePromise<Routed<Context>> {
  // Safe: non-string values never match. Inherited names are rejected when the hint is built.
  const found = routes.get(args[discriminator] as string);
  if (found !== undefined) return validateFor(found, args);
  const key = Object.hasOwn(args, discriminator) ? args[discriminator] : undefined;
  throw createHintedError(
    key === undefined || key === null || key === ""
      ? describeMissingAction(discriminator, routes, args)
      : describeUnknownAction(routes, { discriminator, value: key, args }),
  );
}

/** Validates the arguments for an action. @throws {ArgumentsError} with a hint for the model */
export function validateFor<Context>(route: Route<Context>, args: JsonObject): MaybePromise<Routed<Context>> {
  const checked = route.check(args);
  return isPromise(checked)
    ? checked.then((result) => conclude(route, args, result))
    : conclude(route, args, checked);
}

function conclude<Context>(route: Route<Context>, args: JsonObject, checked: CheckResult): Routed<Context> {
  const { discriminator, showsKey, key } = route;
  if (checked.issues !== undefined) {
    const { issues } = checked;
    throw createHintedError(describeInvalidFields(route, { issues, args, discriminator }));
  }
  const value = checked.value as JsonObject; // Safe: the check accepts only objects
  return { value: showsKey ? withKey(value, discriminator, key) : value, route };
}

/** Creates an error whose text is sent to the model without a prefix. */
function createHintedError(text: string): ArgumentsError {
  return new ArgumentsError(text, text);
}

/** Converts an action's error to an error result, or throws an error. */
export type Failing = (label: string, error: unknown, call: Call | undefined) => ToolResult;

/** Runs an action. The return value may still have to be converted to a tool result. */
export type RouteRunner = <Context>(routed: Routed<Context>, ctx: Context, call: Call | undefined) => unknown;

/** Creates a function that runs actions. `fail` handles thrown errors, rejections, and returned `McpError`s. */
export function createRouteRunner(fail: Failing): RouteRunner {
  const settle = async (promised: Promise<unknown>, label: string, call: Call | undefined) => {
    let result: unknown;
    try {
      result = await promised;
    } catch (error) {
      return fail(label, error, call);
    }
    return isInstance(result, McpError) ? fail(label, result, call) : result;
  };
  return ({ route: { run, label }, value }, ctx, call) => {
    let result: unknown;
    try {
      result = run(ctx, value, call);
      if (isPromise(result)) return settle(result, label, call);
    } catch (error) {
      return fail(label, error, call);
    }
    return isInstance(result, McpError) ? fail(label, result, call) : result;
  };
}

function withResult<Context>(chain: ChainFn<Context>): ChainFn<Context> {
  return (ctx, args, call) => andThen(chain(ctx, args, call), requireResult);
}

/**
 * Checks that middleware returned a result. TypeScript already reports a missing `return next()`. Plain JavaScript
 * relies on this check.
 */
function requireResult(result: ToolResult): ToolResult {
  if (isJsonObject(result)) return result;
  throw new TypeError(
    `Middleware must return the result of next() or its own result; got ${kindOf(result)}.`,
  );
}

/**
 * Adds the action key to a copy of the arguments. Writing it first saves a microsecond compared with adding it last. If
 * a transformed field has replaced it, the key is restored.
 */
function withKey(args: JsonObject, discriminator: string, key: string): JsonObject {
  const shown: Record<string, unknown> = { [discriminator]: key, ...args };
  if (shown[discriminator] !== key) shown[discriminator] = key;
  return shown;
}

/** Returns validated arguments as the action's handler gets them, without the action key. */
export function handlerArguments(
  { showsKey, discriminator }: Pick<Route<never>, "showsKey" | "discriminator">,
  args: JsonObject,
): JsonObject {
  if (!showsKey) return args;
  const { [discriminator]: _key, ...rest } = args;
  return rest;
}

/** Removes the action key just before the handler runs, so that changes by middleware are kept. */
function withoutKey<Context>(handler: ChainFn<Context>, discriminator: string): ChainFn<Context> {
  return (ctx, args, call) => {
    const { [discriminator]: _key, ...rest } = args;
    return handler(ctx, rest, call);
  };
}
