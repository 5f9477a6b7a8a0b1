/**
 * @fileoverview Options for the embedded engine and their defaults.
 * @module tenon/tasks/engine/engine-options
 */
import { defineOptions, type OptionsOf, type ParsedOptions } from "@tenon/internal/options/define-options";
import { custom, flag, integer, text } from "@tenon/internal/options/option-rows";
import type { Ports } from "@tenon/internal/ports";
import { encodeUtf8 } from "@tenon/internal/utf8";

/** Limits of an engine. */
export const ENGINE_LIMITS = /* @__PURE__ */ defineOptions("limits", {
  /**
   * Maximum number of tasks that run at the same time. Tasks that wait for input do not count.
   * @default 64
   */
  concurrency: integer({ default: 64, aliases: ["maxConcurrency", "workers"] }),
  /**
   * Maximum number of tasks that run at the same time for one authenticated principal.
   * @default 16
   */
  concurrencyPerPrincipal: integer({ default: 16 }),
  /**
   * Maximum number of tasks, including finished ones whose lifetime has not ended.
   * @default 10000
   */
  maxTasks: integer({ default: 10_000 }),
  /**
   * Maximum number of tasks for one authenticated principal.
   * @default 1000
   */
  maxTasksPerPrincipal: integer({ default: 1_000 }),
  /**
   * Maximum memory for arguments, answers, and results of all tasks in bytes (estimated).
   * @default 268435456
   */
  maxTotalBytes: integer({ default: 256 * 1_048_576 }),
});

/** Options for the embedded engine that `tasks()` takes too. */
export const EMBEDDED_OPTIONS = /* @__PURE__ */ defineOptions("engine", {
  /**
   * Directory for durable records. It is created if it does not exist, and only one process may use it at a time. The
   * records are encrypted with `state.keys` of the server, or with a secret in the directory. Other users must not be
   * able to write to the directory.
   * @default no directory: tasks are lost when the process ends
   */
  directory: text({ expected: "a path", aliases: ["dir", "path", "folder"] }),
  /**
   * Flushes records to the disk before they count as stored. Without it, a power failure can lose the last records. The
   * end of the process alone does not.
   * @default true
   */
  sync: flag({ default: true, aliases: ["fsync"] }),
  ...ENGINE_LIMITS.rows,
});

/** Options for the embedded engine. */
export const ENGINE_OPTIONS = /* @__PURE__ */ defineOptions("createTaskEngine", {
  ...EMBEDDED_OPTIONS.rows,
  /**
   * Secrets of at least 32 bytes that encrypt the records in `directory`. The first one encrypts, and all of them
   * decrypt.
   * @default a random secret in the directory
   */
  keys: custom<readonly (string | Uint8Array)[]>({
    expected: "an array of secrets of at least 32 bytes",
    accepts: (value) => Array.isArray(value) && value.length > 0 && value.every(isSecret),
    isSecret: true,
  }),
  /** Replacements for the clock and timers, for tests. */
  ports: custom<Partial<Ports>>(),
});

function isSecret(value: unknown): boolean {
  const bytes = typeof value === "string" ? encodeUtf8(value) : value;
  return bytes instanceof Uint8Array && bytes.length >= 32;
}

/** Options for the embedded engine. */
export type EngineOptions = OptionsOf<typeof ENGINE_OPTIONS>;

/** Limits of an engine, with their defaults. */
export type EngineLimits = ParsedOptions<typeof ENGINE_LIMITS>;
