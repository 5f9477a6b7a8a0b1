/**
 * @fileoverview Decides about a user's access to a task.
 * @module agent/users/access
 */
import { isPromise } from "@tenon/internal/maybe-promise";
import { systemPorts } from "@tenon/internal/ports";
import { safeReport } from "@tenon/internal/security/safe-text";
import type { Logger } from "tenon";
import { showValue } from "@tenon/internal/kind-of";
import type { AccessRule, AccessTask, AgentUser, TaskAccess } from "./user.js";

/**
 * Decides about access. A server without users passes `undefined` as the user, who has access to everything. Never
 * throws.
 */
export type DecideAccess = (user: AgentUser | undefined, task: AccessTask) => TaskAccess | undefined;

/** Dependencies for `createDecideAccess`. */
export interface DecideAccessParts {
  /** @default the owner can write, and nobody else can see the task */
  readonly access?: AccessRule | undefined;
  readonly logger?: Logger | undefined;
  readonly now?: () => number;
}

/** Creates the function that decides about access. A rule that fails grants no access, and the failure is logged. */
export function createDecideAccess(parts: DecideAccessParts = {}): DecideAccess {
  const { access = isOwner, logger, now = systemPorts.now } = parts;
  let lastReport = -Infinity;
  const report = (problem: string) => {
    // A rule that always fails is called for every task of every list.
    if (now() - lastReport < REPORT_INTERVAL_MS) return;
    lastReport = now();
    logger?.error(`agent: the \`access\` option failed, so access was denied: ${problem}`);
  };
  return (user, task) => {
    if (user === undefined) return "write";
    const given = tryRule(access, [user, task], report);
    return given === "write" && user.canWrite === false ? "watch" : given;
  };
}

const REPORT_INTERVAL_MS = 1_000;

const isOwner: AccessRule = (user, { owner }) => (owner === user.id ? "write" : undefined);

function tryRule(
  rule: AccessRule,
  [user, { taskId, owner }]: readonly [AgentUser, AccessTask],
  report: (problem: string) => void,
): TaskAccess | undefined {
  try {
    const given: unknown = rule(user, { taskId, owner });
    if (given === undefined || given === "write" || given === "watch") return given;
    if (isPromise(given)) given.catch(() => undefined);
    const got = isPromise(given) ? "a promise" : showValue(given);
    report(`it must return "write", "watch", or undefined; got ${got}.`);
  } catch (error) {
    report(safeReport(error));
  }
  return undefined;
}
