/**
 * @fileoverview Rules for the server as a whole.
 * @module cli/doctor/rules/server/rules
 */
import { toolRule } from "../../item-rule.js";
import type { Rule } from "../../rule.js";
import { listNames, show, placeOf } from "../../facts/place.js";
import { ERRORS } from "tenon/protocol";
import { LIST_NAMES, LISTS } from "../../../client/list-feature.js";
import { isUrl } from "@tenon/internal/security/is-url";

/** Rules for the server as a whole, in the order of the documentation. */
export const SERVER_RULES: readonly Rule[] = [
  // Reports servers with more tools than clients pass to a model.
  {
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
  },
  // Reports tools whose name, description, and input schema are large.
  toolRule({
    id: "definition-size",
    severity: "warning",
    title: "Large tool definition",
    find: ({ name, description, input }) => {
      const size = JSON.stringify({ name, description, input }).length;
      return size > MAX_CHARACTERS && size;
    },
    message: (_, size) =>
      `The definition has ${size} characters (limit: ${MAX_CHARACTERS}), about ${Math.round(size / 4)} tokens. Most clients send it with every request.`,
    fix: "Shorten the descriptions, leave out rare parameters, or split the tool.",
  }),
  // Reports tools without a deadline. One finding per server.
  {
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
  },
  // Reports lists that fail although the server declares the feature.
  {
    id: "list-failed",
    severity: "error",
    title: "Declared list fails",
    *check({ lists }) {
      for (const name of LIST_NAMES) {
        const { method, capability } = LISTS[name];
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
  },
  // Reports lists that return a cursor that they have returned before.
  {
    id: "cursor-repeated",
    severity: "error",
    title: "List without an end",
    *check({ lists }) {
      for (const name of LIST_NAMES) {
        if (lists[name].problem?.kind !== "repeated-cursor") continue;
        yield {
          place: name,
          message: `\`${LISTS[name].method}\` returns the same \`nextCursor\` again. Clients read the list forever.`,
          fix: "Leave out `nextCursor` on the last page. An empty string is a cursor too.",
        };
      }
    },
  },
  // Reports URIs without a scheme, and templates with unbalanced braces.
  {
    id: "resource-uri",
    severity: "error",
    title: "Invalid resource URI",
    *check({ resources, templates }) {
      for (const { name: uri, place } of resources) {
        if (isUrl(uri)) continue;
        yield {
          place: placeOf(place, "uri"),
          message: `\`uri\` must be an absolute URI; got ${uri === "" ? "none" : show(uri)}. Clients with the Python SDK reject the whole list.`,
          fix: "Add a scheme, such as `notes://2025/list`, and encode spaces as `%20`.",
        };
      }
      for (const { name: template, place } of templates) {
        if (template !== "" && !/[{}]/.test(template.replaceAll(/\{[^{}]+\}/g, ""))) continue;
        yield {
          place: placeOf(place, "uriTemplate"),
          severity: "warning",
          message: `\`uriTemplate\` must be a URI template; got ${template === "" ? "none" : show(template)}.`,
          fix: "Write each variable as `{name}`, and close every brace.",
        };
      }
    },
  },
  // Reports servers without a version, or with a placeholder.
  {
    id: "server-version",
    severity: "info",
    title: "Server without a version",
    *check({ server }) {
      const { version } = server;
      if (typeof version === "string" && version.trim() !== "" && version !== "0.0.0") return;
      yield {
        place: "server.version",
        message: `The server's version is ${typeof version === "string" ? show(version) : "missing"}. Bug reports and logs cannot say which version ran.`,
        fix: "Pass the version from `package.json`.",
      };
    },
  },
];

/** Maximum number of tools in one request in VS Code and OpenAI's API. */
const LIMIT = 128;
const RECOMMENDED = 40;

/** About 2,000 tokens. Public reports call 800 to 1,000 tokens for one tool too many. */
const MAX_CHARACTERS = 8_000;
