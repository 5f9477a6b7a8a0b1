/**
 * @fileoverview Options for `tasks()` and their defaults.
 * @module tasks/options
 */
import { kindOf, showValue } from "@tenon/internal/kind-of";
import { isJsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { assertKnownOptions, type OptionNames } from "@tenon/internal/names/known-options";
import type { Auth } from "../core/wire/exchange.js";
import { ENGINE_ALIASES } from "./engine/create-engine.js";
import { assertEngineOptions, ENGINE_OPTION_NAMES, type EngineOptions } from "./engine/engine-options.js";
import type { TaskEngine } from "./engine/task-engine.js";

/** Task that needs a context, because it runs in a different process than the request that created it. */
export interface TaskOrigin {
  readonly taskId: string;
  readonly tool: string;
  /** Caller that created the task. */
  readonly auth: Auth | undefined;
}

/** Options for `tasks()`. The options of the engine apply to the embedded one. */
export interface TasksOptions extends Omit<EngineOptions, "ports"> {
  /**
   * Engine that stores and runs the tasks. Several servers can share it. Close it when they have closed.
   * @default the embedded engine, with the other options
   */
  readonly engine?: TaskEngine;
  /**
   * Creates the context for handlers that run in a task. Set it if the server has a context and tasks must survive the
   * process.
   * @default the context of the request that created the task
   */
  readonly context?: (origin: TaskOrigin) => MaybePromise<unknown>;
  /**
   * Lifetime of a task in milliseconds, from its creation. A task that has not finished by then fails. `null` for no
   * limit: when the task has finished, it can be read for `resultTtlMs`.
   * @default 3600000
   */
  readonly ttlMs?: number | null;
  /**
   * Minimum time in milliseconds for which a finished task can be read. The lifetime is extended if necessary.
   * @default 300000
   */
  readonly resultTtlMs?: number;
  /**
   * Interval in milliseconds at which clients should poll.
   * @default 1000
   */
  readonly pollIntervalMs?: number;
  /**
   * Minimum time in milliseconds between two stored status messages. Progress in between is dropped, except the last.
   * @default 100
   */
  readonly progressIntervalMs?: number;
  /**
   * Maximum size of a result in bytes. A task with a larger result fails.
   * @default 1048576
   */
  readonly maxResultBytes?: number;
  /**
   * Maximum size in bytes of the arguments, answers, and results of `call.once` of one task.
   * @default 4194304
   */
  readonly maxTaskBytes?: number;
  /**
   * Time in milliseconds that running tasks get to finish when the server closes. Then their signals abort.
   * @default 5000
   */
  readonly closeGraceMs?: number;
}

/** Settings of the extension, with defaults. */
export interface TaskSettings {
  readonly context: TasksOptions["context"];
  readonly ttlMs: number | null;
  readonly resultTtlMs: number;
  readonly pollIntervalMs: number;
  readonly progressIntervalMs: number;
  readonly maxResultBytes: number;
  readonly maxTaskBytes: number;
  readonly closeGraceMs: number;
}

/** Reads the settings. @throws {TypeError} if an option is unknown or invalid */
export function toTaskSettings(options: TasksOptions): TaskSettings {
  assertKnownOptions(options, { label: LABEL, names: NAMES, aliases: ALIASES });
  const { engine, context, ttlMs = 3_600_000 } = options;
  if (engine !== undefined) assertEngine(engine, options);
  assertEngineOptions(LABEL, options);
  if (context !== undefined && typeof context !== "function")
    throw new TypeError(`${LABEL}: \`context\` must be a function; got ${kindOf(context)}.`);
  if (ttlMs !== null && !(Number.isSafeInteger(ttlMs) && ttlMs > 0)) {
    const got = showValue(ttlMs);
    throw new TypeError(`${LABEL}: \`ttlMs\` must be a positive integer (milliseconds) or null; got ${got}.`);
  }
  return {
    context,
    ttlMs,
    resultTtlMs: readWhole("resultTtlMs", options.resultTtlMs ?? 300_000),
    pollIntervalMs: readWhole("pollIntervalMs", options.pollIntervalMs ?? 1_000),
    progressIntervalMs: readWhole("progressIntervalMs", options.progressIntervalMs ?? 100, 0),
    maxResultBytes: readWhole("maxResultBytes", options.maxResultBytes ?? 1_048_576),
    maxTaskBytes: readWhole("maxTaskBytes", options.maxTaskBytes ?? 4 * 1_048_576),
    closeGraceMs: readWhole("closeGraceMs", options.closeGraceMs ?? 5_000, 0),
  };
}

/** Returns the options that belong to the embedded engine, without those that are `undefined`. */
export function toEngineOptions(options: TasksOptions): EngineOptions {
  return Object.fromEntries(
    Object.entries(options).filter(
      ([name, value]) => value !== undefined && Object.hasOwn(ENGINE_OPTION_NAMES, name),
    ),
  );
}

const LABEL = "tasks";

function assertEngine(engine: unknown, options: TasksOptions): void {
  const expected = `${LABEL}: \`engine\` must be a task engine`;
  if (!isJsonObject(engine)) throw new TypeError(`${expected}; got ${kindOf(engine)}.`);
  const missing = ENGINE_METHODS.find((name) => typeof engine[name] !== "function");
  if (missing !== undefined)
    throw new TypeError(`${expected}; got ${kindOf(engine)} without the method \`${missing}\`.`);
  const extra = Object.keys(toEngineOptions(options))[0];
  if (extra === undefined) return;
  throw new TypeError(
    `${LABEL}: \`${extra}\` is an option of the embedded engine. Pass it to the engine that you set as \`engine\`.`,
  );
}

const ENGINE_METHODS: readonly (keyof TaskEngine)[] = ["create", "read", "write", "watch", "work", "close"];

function readWhole(name: string, value: number, least = 1): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  const what = least === 0 ? "a non-negative integer" : "a positive integer";
  const unit = name.endsWith("Ms") ? "milliseconds" : "bytes";
  throw new TypeError(`${LABEL}: \`${name}\` must be ${what} (${unit}); got ${showValue(value)}.`);
}

const NAMES: OptionNames<TasksOptions> = {
  ...omitPorts(),
  engine: true,
  context: true,
  ttlMs: true,
  resultTtlMs: true,
  pollIntervalMs: true,
  progressIntervalMs: true,
  maxResultBytes: true,
  maxTaskBytes: true,
  closeGraceMs: true,
};

const ALIASES: Readonly<Record<string, string>> = {
  ...ENGINE_ALIASES,
  ttl: "ttlMs",
  pollInterval: "pollIntervalMs",
  store: "engine",
  contextFactory: "context",
};

/** The clock of the server is used, so `ports` is not an option here. */
function omitPorts() {
  const { ports: _, ...names } = ENGINE_OPTION_NAMES;
  return names;
}
