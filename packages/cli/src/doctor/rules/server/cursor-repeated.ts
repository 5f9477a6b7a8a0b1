/**
 * @fileoverview Rule `cursor-repeated`: the pages of a list never end.
 * @module cli/doctor/rules/server/cursor-repeated
 */
import { LISTS } from "../../facts/capture.js";
import type { Rule } from "../../rule.js";

/** Reports lists that return a cursor that they have returned before. */
export const cursorRepeated: Rule = {
  id: "cursor-repeated",
  severity: "error",
  title: "List without an end",
  *check({ lists }) {
    for (const { name, method } of LISTS) {
      if (lists[name].problem?.kind !== "repeated-cursor") continue;
      yield {
        place: name,
        message: `\`${method}\` returns the same \`nextCursor\` again. Clients read the list forever.`,
        fix: "Leave out `nextCursor` on the last page. An empty string is a cursor too.",
      };
    }
  },
};
