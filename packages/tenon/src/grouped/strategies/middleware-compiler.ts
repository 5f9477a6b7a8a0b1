/**
 * @fileoverview Folds middleware around each action's handler once, so that a call finds one ready function.
 * @module grouped/strategies/middleware-compiler
 */
import type { ActionHandler, ActionMiddleware, InternalAction } from "../actions/action.js";

/** A handler with all its middleware around it. */
export type ChainFn<Context = unknown> = ActionHandler<Context>;

/** Gives the chain of every action by its key. */
export type MiddlewareCompiler = <Context>(
  actions: readonly InternalAction<Context>[],
  globalMiddleware: readonly ActionMiddleware<Context>[],
) => Map<string, ChainFn<Context>>;

/**
 * Compiles `Global MW 1 → Global MW 2 → Group MW → handler` for every action.
 *
 * @throws where two actions have one key, since one handler would be lost
 */
export function compileMiddlewareChains<Context>(
  actions: readonly InternalAction<Context>[],
  globalMiddleware: readonly ActionMiddleware<Context>[],
): Map<string, ChainFn<Context>> {
  const chains = new Map<string, ChainFn<Context>>();
  for (const { key, handler, middleware } of actions) {
    if (chains.has(key)) throw new Error(`Duplicate action key "${key}".`);
    chains.set(key, wrap(globalMiddleware, wrap(middleware, handler)));
  }
  return chains;
}

function wrap<Context>(
  layers: readonly ActionMiddleware<Context>[],
  innermost: ChainFn<Context>,
): ChainFn<Context> {
  return layers.reduceRight<ChainFn<Context>>(
    (nextFn, layer) => (ctx, args, call) => layer(ctx, args, () => nextFn(ctx, args, call), call),
    innermost,
  );
}
