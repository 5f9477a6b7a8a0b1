/**
 * @fileoverview Rule `deadline-missing`: handlers may run forever.
 * @module cli/doctor/rules/server/deadline-missing
 */
import { listNames } from "../../facts/place.js";
import type { Rule } from "../../rule.js";

/** Reports tools without a deadline. One finding per server. */
export const deadlineMissing: Rule = {
  id: "deadline-missing",
  severity: "warning",
  title: "Tool without a deadline",
  needs: "settings",
  *check({ settings = [] }) {
    const without = settings.filter(({ deadlineMs }) => deadlineMs === null);
    if (without.length === 0) return;
    const names = listNames(without.map(({ tool }) => tool));
    yield {
      place: "tools",
      message: `${without.length} of ${settings.length} tools ${without.length === 1 ? "has" : "have"} no deadline: ${names}. A call that hangs blocks the client, in some clients for hours.`,
      fix: "Set `deadlineMs` on the server, and on tools that need more time.",
    };
  },
};
