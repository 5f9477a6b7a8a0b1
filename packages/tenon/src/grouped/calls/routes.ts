/**
 * @fileoverview Finds the action that a call names: one map lookup, one check, one compiled function.
 * @module grouped/routes
 */
import type { Call } from "../../core/call/call.js";
import { ArgumentsError } from "../../core/definitions/tool-errors.js";
import { isInstance } from "@tenon/internal/thrown";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { andThen, isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
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

/** A compiled action. */
export interface Route<Context> extends HintedAction {
  /** Prefix of its error texts, such as `[platform/users.create]`. */
  readonly label: string;
  readonly action: ActionFacts;
  /** The field that names the action. */
  readonly discriminator: string;
  readonly check: ArgumentCheck;
  /**
   * The compiled chain, or the handler itself if there is no middleware. The value of a handler is not a result yet.
   */
  readonly run: (ctx: Context, args: JsonObject, call?: Call) => unknown;
  /** True if middleware sees the arguments, which then include the key of the action. */
  readonly showsKey: boolean;
}

/** The actions of a tool by key. */
export type Routes<Context> = ReadonlyMap<string, Route<Context>>;

/** Validated arguments and the action that they are for. */
export interface Routed<Context> extends ValidatedCall {
  readonly value: JsonObject;
  readonly route: Route<Context>;
}

/**
 * Compiles the actions of a tool.
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
        throw new Error(`The middleware strategy of "${name}" returned no chain for "${key}".`);
      const route: Route<Context> = {
        key,
        label: `[${name}/${key}]`,
        action,
        discriminator,
        fields: joinFields(common, fieldsOf(toActionSchema(action))),
        check: createArgumentCheck(action, { commonSchema, discriminator, strict }),
        // The default compiler returns the handler itself if there is no middleware.
        run: chain === action.handler ? (action.plainHandler ?? chain) : withResult(chain),
        showsKey: showsKey(action),
      };
      return [key, route];
    }),
  );
}

/** Compiles one action by itself. */
export function compileRoute<Context>(
  plan: ToolPlan<Context>,
  action: InternalAction<Context>,
  shownOutside: boolean,
): Route<Context> {
  const found = compileRoutes({ ...plan, actions: [action] }, shownOutside).get(action.key);
  if (found === undefined) throw new Error(`Action "${action.key}" of "${plan.name}" was not compiled.`);
  return found;
}

/** Finds the action that the arguments name and validates them. @throws ArgumentsError with a hint for the model */
export function findRoute<Context>(
  routes: Routes<Context>,
  discriminator: string,
  args: JsonObject,
): MaybePromise<Routed<Context>> {
  // Non-string values never match. Inherited names are rejected when the hint is built.
  const found = routes.get(args[discriminator] as string);
  if (found !== undefined) return validateFor(found, args);
  const key = Object.hasOwn(args, discriminator) ? args[discriminator] : undefined;
  throw createHintedError(
    key === undefined || key === null || key === ""
      ? describeMissingAction(discriminator, routes, args)
      : describeUnknownAction(discriminator, routes, key),
  );
}

/** Validates the arguments of an action. @throws ArgumentsError with a hint for the model */
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
  const value = checked.value as JsonObject; // the check accepts only objects
  return { value: showsKey ? withKey(value, discriminator, key) : value, route };
}

/** Creates an error whose text is sent to the model without a prefix. */
function createHintedError(text: string): ArgumentsError {
  return new ArgumentsError(text, text);
}

/** Turns an error in an action into a result, or throws another error. */
export type Failing = (label: string, error: unknown, call: Call | undefined) => ToolResult;

/** Runs an action. Returns the value of the handler, which is not a result yet. */
export type RouteRunner = <Context>(routed: Routed<Context>, ctx: Context, call: Call | undefined) => unknown;

/** Creates the function that runs actions. Errors go through `fail`, whether an action throws or rejects. */
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
 * Checks the result of middleware. TypeScript reports a missing `return next()`; plain JavaScript has only this check.
 */
function requireResult(result: ToolResult): ToolResult {
  if (isJsonObject(result)) return result;
  throw new TypeError("Middleware must return the result of next() or a result of its own.");
}

/**
 * Adds the key of the action as the first member: adding it to a copy takes a microsecond. A transformed field must not
 * replace it.
 */
function withKey(args: JsonObject, discriminator: string, key: string): JsonObject {
  const shown: Record<string, unknown> = { [discriminator]: key, ...args };
  if (shown[discriminator] !== key) shown[discriminator] = key;
  return shown;
}

/** Removes the key from the arguments that reach the handler, because middleware may have changed them. */
function withoutKey<Context>(handler: ChainFn<Context>, discriminator: string): ChainFn<Context> {
  return (ctx, args, call) => {
    const { [discriminator]: _key, ...rest } = args;
    return handler(ctx, rest, call);
  };
}
