/**
 * @fileoverview Middleware around operations: the runs of tools, resources and prompts.
 * @module core/middleware
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { PromptResult, ReadResult, ToolResult } from "../../protocol/index.js";
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
export function layered<Args, Result extends OperationResult | string>(
  layers: readonly Middleware[],
  of: {
    readonly kind: Operation["kind"];
    readonly name: string;
    /** What is shown as the arguments, where the handler gets more. */
    readonly shown?: (given: Args) => unknown;
  },
  handler: (args: Args, call: Call) => MaybePromise<Result>,
): (args: Args, call: Call) => MaybePromise<Result> {
  if (layers.length === 0) return handler;
  const { kind, name, shown = (given: Args) => given } = of;
  const composed = compose<GivenOperation<Args>, MaybePromise<OperationResult>>(
    layers,
    ({ given, call }) => handler(given, call) as MaybePromise<OperationResult>,
  );
  // Middleware sees the arguments and hands them on; it is given results only, and must answer in kind.
  return (given, call) => composed({ kind, name, args: shown(given), call, given }) as MaybePromise<Result>;
}

/** An operation with what its handler gets, which may be more than what middleware sees. */
interface GivenOperation<Args> extends Operation {
  readonly given: Args;
}
