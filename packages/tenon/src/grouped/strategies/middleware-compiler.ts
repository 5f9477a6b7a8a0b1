/**
 * @fileoverview Wraps each action's handler in its middleware once, at build time.
 * @module tenon/grouped/strategies/middleware-compiler
 */
import type { ActionHandler, ActionMiddleware, InternalAction } from "../actions/action.js";

/** Handler wrapped in all its middleware. */
export type ChainFn<Context = unknown> = ActionHandler<Context>;

/** Compiles one chain per action. Returns the chains by action key. */
export type MiddlewareCompiler = <Context>(
  actions: readonly InternalAction<Context>[],
  globalMiddleware: readonly ActionMiddleware<Context>[],
) => Map<string, ChainFn<Context>>;

/**
 * Compiles `Global MW 1 → Global MW 2 → Group MW → handler` for every action.
 *
 * @throws if two actions have the same key, because one handler would be lost
 */
export function compileMiddlewareChains<Context>(
  actions: readonly InternalAction<Context>[],
  globalMiddleware: readonly ActionMiddleware<Context>[],
): Map<string, ChainFn<Context>> {
  const chains = new Map<string, ChainFn<Context>>();
  for (const { key, handler, middleware } of actions) {
    if (chains.has(key)) throw new Error(`Action "${key}" is already registered. Names must be unique.`);
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
