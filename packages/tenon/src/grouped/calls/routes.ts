/**
 * @fileoverview From the arguments of a call to the action that is meant: one look-up, one check, one ready function.
 * @module grouped/routes
 */
import type { Call } from "../../core/call/call.js";
import { ArgumentsError } from "../../core/definitions/tool.js";
import { isInstance } from "@tenon/internal/thrown";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { andThen, isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import { McpError, type ToolResult } from "../../protocol/index.js";
import type { CheckResult, ValidatedCall } from "../../schema/schema.js";
import type { ActionFacts, InternalAction } from "../actions/action.js";
import { type ArgumentCheck, createArgumentCheck } from "./argument-check.js";
import { type HintedError, teachFields, teachMissingAction, teachUnknownAction } from "./hints.js";
import type { ChainFn } from "../strategies/middleware-compiler.js";
import { fieldsOf, joinFields, readActionSchema, readCommonSchema } from "../strategies/schema-utils.js";
import type { ToolPlan } from "./tool-plan.js";

/** An action, ready to run. */
export interface Route<Context> extends HintedError {
  /** `[platform/users.create]`, before the text of its errors. */
  readonly label: string;
  readonly action: ActionFacts;
  readonly check: ArgumentCheck;
  /** The chain; or, where there is no middleware, the handler itself, whose value has yet to become a result. */
  readonly run: (ctx: Context, args: JsonObject, call?: Call) => unknown;
  /** Whether somebody between here and the handler is to see which action is meant. */
  readonly showsKey: boolean;
}

/** The actions of a tool by key. */
export type Routes<Context> = ReadonlyMap<string, Route<Context>>;

/** What a check gave: the validated arguments, and the action that they are for. */
export interface Routed<Context> extends ValidatedCall {
  readonly value: JsonObject;
  readonly route: Route<Context>;
}

/**
 * Compiles the actions of a tool.
 *
 * @param shownOutside whether layers around the whole tool see the arguments too
 */
export function compileRoutes<Context>(plan: ToolPlan<Context>, shownOutside: boolean): Routes<Context> {
  const { name, commonSchema, discriminator, strict, strategies, middleware } = plan;
  const common = commonSchema === undefined ? [] : fieldsOf(readCommonSchema(commonSchema));
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
        throw new Error(`The middleware strategy of "${name}" gave no chain for "${key}".`);
      const route: Route<Context> = {
        key,
        label: `[${name}/${key}]`,
        action,
        fields: joinFields(common, fieldsOf(readActionSchema(action))),
        check: createArgumentCheck(action, { commonSchema, discriminator, strict }),
        // The usual compiler gives the handler back where there is nothing to wrap around it.
        run: chain === action.handler ? (action.plainHandler ?? chain) : withResult(chain),
        showsKey: showsKey(action),
      };
      return [key, route];
    }),
  );
}

/** Compiles one action on its own. */
export function compileRoute<Context>(
  plan: ToolPlan<Context>,
  action: InternalAction<Context>,
  shownOutside: boolean,
): Route<Context> {
  const found = compileRoutes({ ...plan, actions: [action] }, shownOutside).get(action.key);
  if (found === undefined) throw new Error(`Action "${action.key}" of "${plan.name}" was not compiled.`);
  return found;
}

/** Finds the action that arguments name, and checks them for it. @throws ArgumentsError with a hint for the model */
export function findRoute<Context>(
  routes: Routes<Context>,
  discriminator: string,
  args: JsonObject,
): MaybePromise<Routed<Context>> {
  // What is no string is in no map of strings, what was inherited among it: only a hint must tell them apart.
  const found = routes.get(args[discriminator] as string);
  if (found !== undefined) return checkFor(found, discriminator, args);
  const key = Object.hasOwn(args, discriminator) ? args[discriminator] : undefined;
  throw teach(
    key === undefined || key === null || key === ""
      ? teachMissingAction(discriminator, routes, args)
      : teachUnknownAction(discriminator, routes, key),
  );
}

/** Checks the arguments of an action that is known. @throws ArgumentsError with a hint for the model */
export function checkFor<Context>(
  found: Route<Context>,
  discriminator: string,
  args: JsonObject,
): MaybePromise<Routed<Context>> {
  const checked = found.check(args);
  return isPromise(checked)
    ? checked.then((result) => conclude(found, discriminator, args, result))
    : conclude(found, discriminator, args, checked);
}

function conclude<Context>(
  found: Route<Context>,
  discriminator: string,
  args: JsonObject,
  checked: CheckResult,
): Routed<Context> {
  if (checked.issues !== undefined) throw teach(teachFields(found, checked.issues, args, discriminator));
  const value = checked.value as JsonObject; // the check lets only objects through
  return { value: found.showsKey ? withKey(value, discriminator, found.key) : value, route: found };
}

/** A hint stands for itself: nothing is put before it. */
function teach(hint: string): ArgumentsError {
  return new ArgumentsError(hint, hint);
}

/** What becomes of an error in an action: a result, or another error. */
export type Failing = (label: string, error: unknown, call: Call | undefined) => ToolResult;

/** Runs an action; what it throws, now or later, goes through `fail`. What it gives has yet to become a result. */
export function runRoute<Context>(
  { route: { run, label }, value }: Routed<Context>,
  ctx: Context,
  call: Call | undefined,
  fail: Failing,
): unknown {
  let result: unknown;
  try {
    result = run(ctx, value, call);
    if (isPromise(result)) return settleRoute(result, label, call, fail);
  } catch (error) {
    return fail(label, error, call);
  }
  return isInstance(result, McpError) ? fail(label, result, call) : result;
}

async function settleRoute(
  promised: Promise<unknown>,
  label: string,
  call: Call | undefined,
  fail: Failing,
): Promise<unknown> {
  let result: unknown;
  try {
    result = await promised;
  } catch (error) {
    return fail(label, error, call);
  }
  return isInstance(result, McpError) ? fail(label, result, call) : result;
}

function withResult<Context>(chain: ChainFn<Context>): ChainFn<Context> {
  return (ctx, args, call) => andThen(chain(ctx, args, call), requireResult);
}

/** The compiler finds a lost `return next()`; plain JavaScript has only this. */
function requireResult(result: ToolResult): ToolResult {
  if (isJsonObject(result)) return result;
  throw new TypeError("Middleware must return what next() gives, or a result of its own.");
}

/** The key comes first: to add it to a copy takes the runtime a microsecond. A transformed field must not replace it. */
function withKey(args: JsonObject, discriminator: string, key: string): JsonObject {
  const shown: Record<string, unknown> = { [discriminator]: key, ...args };
  if (shown[discriminator] !== key) shown[discriminator] = key;
  return shown;
}

/** Middleware may have changed the arguments, so the key is taken out of what arrives, not left out beforehand. */
function withoutKey<Context>(handler: ChainFn<Context>, discriminator: string): ChainFn<Context> {
  return (ctx, args, call) => {
    const { [discriminator]: _key, ...rest } = args;
    return handler(ctx, rest, call);
  };
}
