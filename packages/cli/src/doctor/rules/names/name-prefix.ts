/**
 * @fileoverview Rule `name-prefix`: the names of tools are too long once a client adds the name of the server.
 * @module cli/doctor/rules/names/name-prefix
 */
import { countOthers, show } from "../../facts/place.js";
import type { Rule } from "../../rule.js";
import { MAX_NAME } from "./name-length.js";

/** Reports names that exceed 64 characters with the prefix `mcp__<server>__`. One finding per server. */
export const namePrefix: Rule = {
  id: "name-prefix",
  severity: "warning",
  title: "Tool name over 64 characters with the server's name",
  *check({ tools, server }) {
    const { name: serverName } = server;
    if (typeof serverName !== "string" || serverName === "") return;
    const prefix = `mcp__${serverName.replaceAll(/[^a-zA-Z0-9_-]/g, "_")}__`;
    const long = tools.filter(
      ({ name }) => name.length <= MAX_NAME && prefix.length + name.length > MAX_NAME,
    );
    const [longest] = long.toSorted((a, b) => b.name.length - a.name.length);
    if (longest === undefined) return;
    const length = prefix.length + longest.name.length;
    const others = long.length === 1 ? "" : ` The same is true for ${countOthers(long.length - 1, "name")}.`;
    yield {
      place: longest.place,
      message: `With the prefix ${show(prefix)}, the name has ${length} characters (limit: ${MAX_NAME}).${others} Clients that add the server's name cannot use the tool.`,
      fix: "Shorten the name of the tool or of the server, and do not repeat the server's name in the names of tools.",
    };
  },
};
