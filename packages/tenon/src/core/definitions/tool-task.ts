/**
 * @fileoverview The `task` option of a tool. The extension in `tenon/tasks` runs tools that have it as tasks.
 * @module tenon/core/definitions/tool-task
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import {
  defineOptions,
  type OptionsOf,
  type ParsedOptions,
  parseOptions,
} from "@tenon/internal/options/define-options";
import { callback, integer, object, oneOf } from "@tenon/internal/options/option-rows";
import type { Call } from "../call/call.js";

/**
 * Support for clients without the Tasks extension. With `optional`, they get the result in the response. With
 * `required`, their calls are rejected.
 */
export type TaskMode = "optional" | "required";

/** Options for a tool that runs as a task. */
export const TASK_OPTIONS = /* @__PURE__ */ defineOptions(
  "task",
  {
    /** Support for clients without the Tasks extension. */
    mode: oneOf(["optional", "required"], { required: true, aliases: ["support", "taskSupport"] }),
    /**
     * Lifetime of a task in milliseconds, from its creation. A task that has not finished by then fails. `null` for no
     * limit: when the task has finished, it can be read for `resultTtlMs`.
     * @default the `ttlMs` of `tasks()`
     */
    ttlMs: integer({ or: [null], aliases: ["ttl"] }),
    /**
     * Interval in milliseconds at which clients should poll.
     * @default the `pollIntervalMs` of `tasks()`
     */
    pollIntervalMs: integer({ aliases: ["pollInterval"] }),
    /**
     * Reaction to a worker that stopped while it ran the handler: the task fails, or the handler runs again from the
     * start. Results of `call.once` and answers are kept.
     * @default "fail"
     */
    onLostWorker: oneOf(["fail", "retry"], { default: "fail" }),
    /**
     * Maximum number of workers that a task may lose. The next loss fails it. Applies to `onLostWorker: "retry"`.
     * @default 3
     */
    maxLostWorkers: integer({ default: 3 }),
    /** Runs in the request, before the task is created. */
    prepare: callback<unknown>(),
  },
  '"optional", "required", or an object with one of them as `mode`',
);

/** Options for a tool that runs as a task. */
export interface ToolTaskOptions<Args = never, Context = never> extends OptionsOf<typeof TASK_OPTIONS> {
  /**
   * Runs in the request, before the task is created. Input that it asks for is requested in the ordinary way, and the
   * handler finds the answers under the same keys. An error that it throws rejects the call.
   */
  readonly prepare?: ((args: Args, call: Call<Context>) => MaybePromise<void>) | undefined;
}

/** The compiled `task` option of a tool. Undefined members have the defaults of `tasks()`. */
export interface ToolTask extends ParsedOptions<typeof TASK_OPTIONS> {
  readonly prepare: ((args: unknown, call: Call) => MaybePromise<void>) | undefined;
}

/** Compiles a `task` option. @throws {TypeError} if it is invalid; the message starts with `label` */
export function toToolTask<Args, Context>(
  label: string,
  option: TaskMode | ToolTaskOptions<Args, Context> | undefined,
): ToolTask | undefined {
  if (option === undefined) return undefined;
  const options = option === "optional" || option === "required" ? { mode: option } : option;
  const { task } = parseOptions(TASK, { task: options }, label);
  // Safe: the arguments were validated against the schema of `Args`, and the context belongs to this server.
  return task as ToolTask;
}

const TASK = /* @__PURE__ */ defineOptions("tool", {
  /** Runs the tool as a task for clients that support tasks. */
  task: object(TASK_OPTIONS),
});
