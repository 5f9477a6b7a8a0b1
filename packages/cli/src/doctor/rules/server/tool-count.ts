/**
 * @fileoverview Rule `tool-count`: the server has too many tools.
 * @module cli/doctor/rules/server/tool-count
 */
import type { Rule } from "../../rule.js";

/** Reports servers with more tools than clients pass to a model. */
export const toolCount: Rule = {
  id: "tool-count",
  severity: "warning",
  title: "Too many tools",
  *check({ tools }) {
    const { length } = tools;
    if (length <= RECOMMENDED) return;
    const isRejected = length > LIMIT;
    yield {
      place: "tools",
      severity: isRejected ? "error" : "warning",
      message: isRejected
        ? `The server has ${length} tools (limit: ${LIMIT}). VS Code and OpenAI's API reject requests with more.`
        : `The server has ${length} tools (recommended: at most ${RECOMMENDED}). Clients limit the tools of all servers together: Cursor to 40 or 80, and VS Code to ${LIMIT}.`,
      fix: "Combine related tools into grouped tools, or let users select the tools that they need.",
    };
  },
};

/** Maximum number of tools in one request in VS Code and OpenAI's API. */
const LIMIT = 128;
const RECOMMENDED = 40;
