/**
 * @fileoverview Middleware around operations: the runs of tools, resources and prompts.
 * @module core/middleware
 */
import type { MaybePromise } from "../internal/maybe-promise.js";
import type { PromptResult, ReadResult, ToolResult } from "../protocol/index.js";
import type { Call } from "./call.js";
import { compose, type Layer } from "./compose.js";

/** A run of a tool, resource or prompt, as middleware sees it. */
export interface Operation<Context = unknown> {
  readonly kind: "tool" | "resource" | "prompt";
  readonly name: string;
  /** Validated arguments; for a resource its URI, for a template its variables. */
  readonly args: unknown;
  readonly call: Call<Context>;
}

/** What an operation gives back: what its kind gives. */
export type OperationResult = ToolResult | ReadResult | PromptResult;

/**
 * A layer around every operation of a server, folded in at build. A lost `return next()` does not compile.
 *
 * @example
 * const timing: Middleware = async function timing(operation, next) {
 *   const start = performance.now();
 *   try {
 *     return await next();
 *   } finally {
 *     record(operation.name, performance.now() - start);
 *   }
 * };
 */
export type Middleware<Context = unknown> = Layer<Operation<Context>, MaybePromise<OperationResult>>;

/** Folds a server's middleware around the handler of one entry; without any, the handler stays as it is. */
export function layered<Args, Result extends OperationResult>(
  layers: readonly Middleware[],
  of: { readonly kind: Operation["kind"]; readonly name: string },
  handler: (args: Args, call: Call) => MaybePromise<Result>,
): (args: Args, call: Call) => MaybePromise<Result> {
  if (layers.length === 0) return handler;
  const { kind, name } = of;
  // Middleware hands the arguments on as it got them, and a layer that answers itself must answer in kind.
  const composed = compose<Operation, MaybePromise<OperationResult>>(layers, ({ args, call }) =>
    handler(args as Args, call),
  );
  return (args, call) => composed({ kind, name, args, call }) as MaybePromise<Result>;
}
