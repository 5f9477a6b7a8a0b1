/**
 * @fileoverview The `task` option of a tool. The extension in `tenon/tasks` runs tools that have it as tasks.
 * @module core/definitions/tool-task
 */
import { isJsonObject } from "@tenon/internal/json";
import { kindOf, showValue } from "@tenon/internal/kind-of";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { assertKnownOptions, type OptionNames } from "@tenon/internal/names/known-options";
import type { Call } from "../call/call.js";

/**
 * Support for clients without the Tasks extension. With `optional`, they get the result in the response. With
 * `required`, their calls are rejected.
 */
export type TaskMode = "optional" | "required";

/** Options for a tool that runs as a task. */
export interface TaskOptions<Args = never, Context = never> {
  readonly mode: TaskMode;
  /**
   * Lifetime of a task in milliseconds, from its creation. A task that has not finished by then fails. `null` for no
   * limit: when the task has finished, it can be read for `resultTtlMs`.
   * @default the `ttlMs` of `tasks()`
   */
  readonly ttlMs?: number | null;
  /**
   * Interval in milliseconds at which clients should poll.
   * @default the `pollIntervalMs` of `tasks()`
   */
  readonly pollIntervalMs?: number;
  /**
   * Reaction to a worker that stopped while it ran the handler: the task fails, or the handler runs again from the
   * start. Results of `call.once` and answers are kept.
   * @default "fail"
   */
  readonly onLostWorker?: "fail" | "retry";
  /**
   * Maximum number of workers that a task may lose. The next loss fails it. Applies to `onLostWorker: "retry"`.
   * @default 3
   */
  readonly maxLostWorkers?: number;
  /**
   * Runs in the request, before the task is created. Input that it asks for is requested in the ordinary way, and the
   * handler finds the answers under the same keys. An error that it throws rejects the call.
   */
  readonly prepare?: (args: Args, call: Call<Context>) => MaybePromise<void>;
}

/** The compiled `task` option of a tool. Undefined members have the defaults of `tasks()`. */
export interface ToolTask {
  readonly mode: TaskMode;
  readonly ttlMs: number | null | undefined;
  readonly pollIntervalMs: number | undefined;
  readonly onLostWorker: "fail" | "retry";
  readonly maxLostWorkers: number;
  readonly prepare: ((args: unknown, call: Call) => MaybePromise<void>) | undefined;
}

/** Compiles a `task` option. @throws {TypeError} if it is invalid; the message starts with `label` */
export function toToolTask<Args, Context>(
  label: string,
  option: TaskMode | TaskOptions<Args, Context> | undefined,
): ToolTask | undefined {
  if (option === undefined) return undefined;
  const options = typeof option === "string" ? { mode: option } : option;
  if (!isJsonObject(options) || !MODES.includes(options.mode)) {
    const got = isJsonObject(options) ? showValue(options.mode) : showValue(option);
    throw new TypeError(
      `${label}: \`task\` must be "optional", "required", or an object with one of them as \`mode\`; got ${got}.`,
    );
  }
  assertKnownOptions(options, { label: `${label}: \`task\``, names: TASK_OPTIONS, aliases: TASK_ALIASES });
  const { mode, ttlMs, pollIntervalMs, onLostWorker = "fail", maxLostWorkers = 3, prepare } = options;
  if (ttlMs !== null) assertDuration(`${label}: \`task.ttlMs\``, ttlMs, " or null");
  assertDuration(`${label}: \`task.pollIntervalMs\``, pollIntervalMs);
  if (onLostWorker !== "fail" && onLostWorker !== "retry") {
    const got = showValue(onLostWorker);
    throw new TypeError(`${label}: \`task.onLostWorker\` must be "fail" or "retry"; got ${got}.`);
  }
  if (!Number.isSafeInteger(maxLostWorkers) || maxLostWorkers < 1) {
    const got = showValue(maxLostWorkers);
    throw new TypeError(`${label}: \`task.maxLostWorkers\` must be a positive integer; got ${got}.`);
  }
  if (prepare !== undefined && typeof prepare !== "function")
    throw new TypeError(`${label}: \`task.prepare\` must be a function; got ${kindOf(prepare)}.`);
  return {
    mode,
    ttlMs,
    pollIntervalMs,
    onLostWorker,
    maxLostWorkers,
    // Safe: the arguments were validated against the schema of `Args`, and the context belongs to this server.
    prepare: prepare as ToolTask["prepare"],
  };
}

/** Throws a `TypeError` if a duration is not a positive integer. `others` names other values that are valid. */
function assertDuration(what: string, value: number | undefined, others = ""): void {
  if (value === undefined || (Number.isSafeInteger(value) && value > 0)) return;
  throw new TypeError(`${what} must be a positive integer (milliseconds)${others}; got ${showValue(value)}.`);
}

const MODES: readonly unknown[] = ["optional", "required"];

const TASK_OPTIONS: OptionNames<TaskOptions> = {
  mode: true,
  ttlMs: true,
  pollIntervalMs: true,
  onLostWorker: true,
  maxLostWorkers: true,
  prepare: true,
};

const TASK_ALIASES = { ttl: "ttlMs", pollInterval: "pollIntervalMs", support: "mode", taskSupport: "mode" };
