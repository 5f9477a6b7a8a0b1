/**
 * @fileoverview Contract that every task engine must fulfill. It does not depend on a test runner or on Node.js.
 * @module tenon/tasks/contract/task-engine-contract
 */
import { CaseContext } from "./case-context.js";
import { runCase } from "./checks.js";
import type { ContractCase, TaskEngineHarness } from "./harness.js";
import { LIMIT_CASES } from "./limit-cases.js";
import { REOPEN_CASES } from "./reopen-cases.js";
import { STORE_CASES } from "./store-cases.js";
import { WATCH_CASES } from "./watch-cases.js";
import { WORK_CASES } from "./work-cases.js";
import { WORKER_CASES } from "./worker-cases.js";

/**
 * Returns the cases that apply to an engine. Run each one as a test, with Vitest, `node:test`, or Mocha.
 *
 * @example
 * const cases = taskEngineContract({ createEngine: () => new RedisTaskEngine(createPrefix()) });
 * describe("Redis engine", () => {
 *   for (const { title, run } of cases) test(title, run);
 * });
 */
export function taskEngineContract(harness: TaskEngineHarness): readonly ContractCase[] {
  const limitCases = (harness.limits ?? []).flatMap((limit) => LIMIT_CASES[limit]);
  return [...STORE_CASES, ...WATCH_CASES, ...WORK_CASES, ...WORKER_CASES, ...limitCases, ...REOPEN_CASES]
    .filter(({ needs }) => needs === undefined || harness[needs] !== undefined)
    .map(({ title, run }) => ({ title, run: () => runCase(new CaseContext(harness), run) }));
}
