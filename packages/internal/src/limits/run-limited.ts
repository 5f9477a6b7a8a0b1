/**
 * @fileoverview Runs synchronous work with a time limit. A regular expression or a schema of a server can take years, and
 * only the engine itself can interrupt it.
 * @module internal/limits/run-limited
 */
import { createContext, Script } from "node:vm";

/** Outcome of limited work. */
export type Limited<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

const SCRIPT = new Script("run()");

/** Runs work, and interrupts it after `ms` milliseconds. Errors of the work are thrown. */
export function runLimited<T>(work: () => T, ms: number): Limited<T> {
  let value: Limited<T> = { ok: false };
  const run = () => {
    value = { ok: true, value: work() };
  };
  try {
    SCRIPT.runInContext(createContext({ run }), { timeout: ms });
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
  }
  return value;
}
