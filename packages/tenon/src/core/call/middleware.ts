/**
 * @fileoverview Middleware around tool, resource, and prompt handlers.
 * @module tenon/core/call/middleware
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { PromptResult, ReadResult, ToolHints, ToolResult } from "../../protocol/index.js";
import type { Call } from "./call.js";
import { compose, type Layer } from "./compose.js";

/** Call to a tool, resource, or prompt handler, as middleware sees it. */
export interface Operation<Context = unknown> {
  readonly kind: "tool" | "resource" | "prompt";
  readonly name: string;
  /** Validated arguments. For a resource: an object with the `uri`, and with the `variables` if it is a template. */
  readonly args: unknown;
  readonly call: Call<Context>;
  /** Annotations of the tool. */
  readonly annotations?: ToolHints | undefined;
  /** True if `next` runs only the `prepare` function of a tool that becomes a task. */
  readonly isPreparation?: boolean | undefined;
}

/** Result of an operation. Its type depends on the operation's kind. */
export type OperationResult = ToolResult | ReadResult | PromptResult;

/**
 * Function around every operation on a server, composed at build time. Forgetting `return next()` is a type error.
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

/** Composes a server's middleware around one entry's handler. Without middleware, returns the handler itself. */
export function layered<Args, Result extends OperationResult | string>(
  layers: readonly Middleware[],
  of: {
    readonly kind: Operation["kind"];
    readonly name: string;
    /** Selects the arguments that middleware sees, if the handler receives additional data. */
    readonly shown?: (given: Args) => unknown;
  } & Pick<Operation, "annotations" | "isPreparation">,
  handler: (args: Args, call: Call) => MaybePromise<Result>,
): (args: Args, call: Call) => MaybePromise<Result> {
  if (layers.length === 0) return handler;
  const { kind, name, shown = (given: Args) => given, annotations, isPreparation } = of;
  const composed = compose<GivenOperation<Args>, MaybePromise<OperationResult>>(
    layers,
    ({ given, call }) => handler(given, call) as MaybePromise<OperationResult>,
  );
  // Safe: middleware receives and returns only results that match the operation's kind.
  return (given, call) =>
    composed({
      kind,
      name,
      args: shown(given),
      call,
      given,
      annotations,
      isPreparation,
    }) as MaybePromise<Result>;
}

/** Operation with the value that its handler receives. That value can contain more data than `args`. */
interface GivenOperation<Args> extends Operation {
  readonly given: Args;
}
