/**
 * @fileoverview Rule `list-failed`: a list of a declared feature cannot be read.
 * @module cli/doctor/rules/server/list-failed
 */
import { ERRORS } from "tenon/protocol";
import { LISTS } from "../../facts/capture.js";
import { show } from "../../facts/place.js";
import type { Rule } from "../../rule.js";

/** Reports lists that fail although the server declares the feature. */
export const listFailed: Rule = {
  id: "list-failed",
  severity: "error",
  title: "Declared list fails",
  *check({ lists }) {
    for (const { name, method, capability } of LISTS) {
      const { problem } = lists[name];
      if (problem?.kind !== "failed" && problem?.kind !== "malformed") continue;
      const isMissing = problem.kind === "malformed" || problem.code === ERRORS.METHOD_NOT_FOUND.rpc;
      const how =
        problem.kind === "malformed"
          ? `responds without the array \`${name}\``
          : `responds with error ${problem.code}: ${show(problem.message)}`;
      yield {
        place: name,
        // Fewer clients read the templates.
        severity: name === "resourceTemplates" ? "warning" : "error",
        message: `The server declares \`${capability}\`, but \`${method}\` ${how}. Some clients then reject the whole server.`,
        fix: isMissing
          ? `Respond with an empty list, or do not declare \`${capability}\`.`
          : "Correct the error. If the list depends on credentials or on the network, check them, and respond with the entries that do not.",
      };
    }
  },
};
