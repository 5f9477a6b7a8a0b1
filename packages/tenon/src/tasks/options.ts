/**
 * @fileoverview Options for `tasks()` and their defaults.
 * @module tenon/tasks/options
 */
import { isJsonObject } from "@tenon/internal/json";
import { kindOf } from "@tenon/internal/kind-of";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import {
  defineOptions,
  type OptionsOf,
  type ParsedOptions,
  parseOptions,
  pickOptions,
} from "@tenon/internal/options/define-options";
import { callback, custom, integer } from "@tenon/internal/options/option-rows";
import type { Auth } from "../core/wire/exchange.js";
import { EMBEDDED_OPTIONS } from "./engine/engine-options.js";
import type { TaskEngine } from "./engine/task-engine.js";

/** Task that needs a context, because it runs in a different process than the request that created it. */
export interface TaskOrigin {
  readonly taskId: string;
  readonly tool: string;
  /** Caller that created the task. */
  readonly auth: Auth | undefined;
}

/** Options for `tasks()`. The options of the engine apply to the embedded one. */
export const TASKS_OPTIONS = /* @__PURE__ */ defineOptions("tasks", {
  ...EMBEDDED_OPTIONS.rows,
  /**
   * Engine that stores and runs the tasks. Several servers can share it. Close it when they have closed.
   * @default the embedded engine, with the other options
   */
  engine: custom<TaskEngine>({
    expected: "a task engine",
    accepts: (value) => isJsonObject(value) && missingMethod(value) === undefined,
    got: (value) =>
      isJsonObject(value) ? `${kindOf(value)} without the method \`${missingMethod(value)}\`` : kindOf(value),
    aliases: ["store"],
  }),
  /**
   * Creates the context for handlers that run in a task. Set it if the server has a context and tasks must survive the
   * process.
   * @default the context of the request that created the task
   */
  context: callback<(origin: TaskOrigin) => MaybePromise<unknown>>({ aliases: ["contextFactory"] }),
  /**
   * Lifetime of a task in milliseconds, from its creation. A task that has not finished by then fails. `null` for no
   * limit: when the task has finished, it can be read for `resultTtlMs`.
   * @default 3600000
   */
  ttlMs: integer({ default: 3_600_000, or: [null], aliases: ["ttl"] }),
  /**
   * Minimum time in milliseconds for which a finished task can be read. The lifetime is extended if necessary.
   * @default 300000
   */
  resultTtlMs: integer({ default: 300_000 }),
  /**
   * Interval in milliseconds at which clients should poll.
   * @default 1000
   */
  pollIntervalMs: integer({ default: 1_000, aliases: ["pollInterval"] }),
  /**
   * Minimum time in milliseconds between two stored status messages. Progress in between is dropped, except the last.
   * @default 100
   */
  progressIntervalMs: integer({ min: 0, default: 100 }),
  /**
   * Maximum size of a result in bytes. A task with a larger result fails.
   * @default 1048576
   */
  maxResultBytes: integer({ default: 1_048_576 }),
  /**
   * Maximum size in bytes of the arguments, answers, and results of `call.once` of one task.
   * @default 4194304
   */
  maxTaskBytes: integer({ default: 4 * 1_048_576 }),
  /**
   * Time in milliseconds that running tasks get to finish when the server closes. Then their signals abort.
   * @default 5000
   */
  closeGraceMs: integer({ min: 0, default: 5_000 }),
});

/** Options for `tasks()`. The options of the engine apply to the embedded one. */
export type TasksOptions = OptionsOf<typeof TASKS_OPTIONS>;

/** Options for `tasks()` with their defaults. */
export type TaskSettings = ParsedOptions<typeof TASKS_OPTIONS>;

/** Checks the options and sets the defaults. @throws {TypeError} if an option is unknown or invalid */
export function parseTasksOptions(options: TasksOptions): TaskSettings {
  const settings = parseOptions(TASKS_OPTIONS, options);
  const [extra] = Object.keys(pickOptions(EMBEDDED_OPTIONS, options));
  if (options.engine === undefined || extra === undefined) return settings;
  throw new TypeError(
    `tasks: \`${extra}\` is an option of the embedded engine. Pass it to the engine that you set as \`engine\`.`,
  );
}

function missingMethod(engine: Readonly<Record<string, unknown>>): string | undefined {
  return ENGINE_METHODS.find((name) => typeof engine[name] !== "function");
}

const ENGINE_METHODS: readonly (keyof TaskEngine)[] = ["create", "read", "write", "watch", "work", "close"];
