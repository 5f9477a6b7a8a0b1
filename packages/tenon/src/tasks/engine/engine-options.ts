/**
 * @fileoverview Options for the embedded engine and their defaults.
 * @module tasks/engine/engine-options
 */
import { kindOf, showValue } from "@tenon/internal/kind-of";
import type { OptionNames } from "@tenon/internal/names/known-options";
import type { Ports } from "@tenon/internal/ports";

/** Options for the embedded engine. */
export interface EngineOptions {
  /**
   * Directory for durable records. It is created if it does not exist, and only one process may use it at a time. The
   * files contain arguments and results as plain text and are readable only by their owner.
   * @default no directory: tasks are lost when the process ends
   */
  readonly directory?: string;
  /**
   * Flushes records to the disk before they count as stored. Without it, a power failure can lose the last records. The
   * end of the process alone does not.
   * @default true
   */
  readonly sync?: boolean;
  /**
   * Maximum number of tasks that run at the same time. Tasks that wait for input do not count.
   * @default 64
   */
  readonly concurrency?: number;
  /**
   * Maximum number of tasks that run at the same time for one authenticated principal.
   * @default 16
   */
  readonly concurrencyPerPrincipal?: number;
  /**
   * Maximum number of tasks, including finished ones whose lifetime has not ended.
   * @default 10000
   */
  readonly maxTasks?: number;
  /**
   * Maximum number of tasks for one authenticated principal.
   * @default 1000
   */
  readonly maxTasksPerPrincipal?: number;
  /**
   * Maximum memory for arguments, answers, and results of all tasks in bytes (estimated).
   * @default 268435456
   */
  readonly maxTotalBytes?: number;
  /** Replacements for the clock and timers, for tests. */
  readonly ports?: Partial<Ports>;
}

/** Limits of the embedded engine. */
export type EngineLimits = Required<Omit<EngineOptions, "directory" | "sync" | "ports">>;

const DEFAULTS: EngineLimits = {
  concurrency: 64,
  concurrencyPerPrincipal: 16,
  maxTasks: 10_000,
  maxTasksPerPrincipal: 1_000,
  maxTotalBytes: 256 * 1_048_576,
};

/** Names of the engine's options. */
export const ENGINE_OPTION_NAMES: OptionNames<EngineOptions> = {
  directory: true,
  sync: true,
  concurrency: true,
  concurrencyPerPrincipal: true,
  maxTasks: true,
  maxTasksPerPrincipal: true,
  maxTotalBytes: true,
  ports: true,
};

/** Throws a `TypeError` if an option is invalid. The message starts with `label`. */
export function assertEngineOptions(label: string, options: EngineOptions): void {
  const { directory, sync } = options;
  if (directory !== undefined && (typeof directory !== "string" || directory === ""))
    throw new TypeError(`${label}: \`directory\` must be a path; got ${kindOf(directory)}.`);
  if (sync !== undefined && typeof sync !== "boolean")
    throw new TypeError(`${label}: \`sync\` must be a boolean; got ${showValue(sync)}.`);
  toEngineLimits(label, options);
}

/** Reads the limits and sets the defaults. @throws {TypeError} if a limit is not a positive integer */
export function toEngineLimits(label: string, options: EngineOptions): EngineLimits {
  const read = (name: keyof EngineLimits, unit = ""): number => {
    const value = options[name] ?? DEFAULTS[name];
    if (Number.isSafeInteger(value) && value > 0) return value;
    throw new TypeError(`${label}: \`${name}\` must be a positive integer${unit}; got ${showValue(value)}.`);
  };
  return {
    concurrency: read("concurrency"),
    concurrencyPerPrincipal: read("concurrencyPerPrincipal"),
    maxTasks: read("maxTasks"),
    maxTasksPerPrincipal: read("maxTasksPerPrincipal"),
    maxTotalBytes: read("maxTotalBytes", " (bytes)"),
  };
}
