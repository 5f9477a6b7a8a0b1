/**
 * @fileoverview Runs the `prepare` function of a tool's `task` option: before a task is created, or before the handler
 * of a call that does not become a task.
 * @module tenon/core/definitions/prepare-task
 */
import { andThen, type MaybePromise } from "@tenon/internal/maybe-promise";
import type { ToolResult } from "../../protocol/index.js";
import type { ValidatedCall } from "../../schema/schema.js";
import type { Call } from "../call/call.js";
import { layered, type Middleware } from "../call/middleware.js";
import type { ToolTask } from "./tool-task.js";

/** Returns the `task` option for a call. */
export type TaskLookup = (checked: ValidatedCall) => ToolTask | undefined;

/** Prepares a task. Returns the result of a middleware that did not continue. */
export type Preparer = (checked: ValidatedCall, call: Call) => Promise<ToolResult | string | undefined>;

/** Call that is being prepared. */
interface Preparation {
  readonly checked: ValidatedCall;
  isDone: boolean;
}

/** Runs a tool on checked arguments. */
type ToolRun = (checked: ValidatedCall, call: Call) => MaybePromise<ToolResult | string>;

/** Runs `prepare` before the handler if the call does not become a task. */
export function withPrepare(taskOf: TaskLookup | undefined, runHandler: ToolRun): ToolRun {
  if (taskOf === undefined) return runHandler;
  return (checked, call) => {
    const prepare = call.taskId === undefined ? taskOf(checked)?.prepare : undefined;
    if (prepare === undefined) return runHandler(checked, call);
    call.keepAnswers();
    return andThen(prepare(checked.value, call), () =>
      // The client repeats the call when it has the answers that `prepare` asked for.
      call.questions?.open === true ? NOTHING : runHandler(checked, call),
    );
  };
}

/** Composes the server's middleware around `prepare`. */
export function createPrepare(
  name: string,
  layers: readonly Middleware[],
  taskOf: TaskLookup | undefined,
): Preparer {
  const shown = ({ checked }: Preparation) => checked.value;
  const run = layered<Preparation, ToolResult | string>(
    layers,
    { kind: "tool", name, shown, isPreparation: true },
    async (preparation, call) => {
      const { checked } = preparation;
      await taskOf?.(checked)?.prepare?.(checked.value, call);
      preparation.isDone = true;
      return NOTHING;
    },
  );
  return async (checked, call) => {
    const preparation = { checked, isDone: false };
    const result = await run(preparation, call);
    return preparation.isDone ? undefined : result;
  };
}

const NOTHING: ToolResult = { content: [] };
