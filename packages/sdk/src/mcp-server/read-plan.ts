/**
 * @fileoverview Reads the definitions of a core server.
 * @module sdk/mcp-server/read-plan
 */
import type { Server } from "tenon";
import type { Plan } from "tenon/host";

/** Returns a core server's plan. Only an update can access it. */
export function readPlan(core: Server): Plan {
  const plans: Plan[] = [];
  core.update((editor) => plans.push(editor.plan));
  const [plan] = plans;
  if (plan === undefined)
    throw new Error("`Server.update` did not call its callback. This is a bug in Tenon.");
  return plan;
}
