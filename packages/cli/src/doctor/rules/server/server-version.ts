/**
 * @fileoverview Rule `server-version`: the server does not say which version it is.
 * @module cli/doctor/rules/server/server-version
 */
import { show } from "../../facts/place.js";
import type { Rule } from "../../rule.js";

/** Reports servers without a version, or with a placeholder. */
export const serverVersion: Rule = {
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
};
