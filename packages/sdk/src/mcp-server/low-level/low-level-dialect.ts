/**
 * @fileoverview The behavior of the official SDK's low-level `Server`: only declared capabilities, and only methods
 * with a handler.
 * @module sdk/mcp-server/low-level/low-level-dialect
 */
import { TRAITS } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { Dialect } from "../dialect.js";
import type { RequestScope } from "../requests/request-scope.js";
import { withCapabilities } from "../requests/sdk-response.js";
import { createV1Dialect } from "../v1-dialect.js";

/** Creates the dialect of a low-level server. */
export function createLowLevelDialect(server: Parameters<typeof createV1Dialect>[0]): Dialect {
  const dialect = createV1Dialect(server);
  return {
    ...dialect,
    async runOwn(own, scope) {
      const result = await dialect.runOwn(own, scope);
      return isJsonObject(result) ? withCacheHint(scope, result) : result;
    },
    complete: (scope, response) => withCapabilities(scope, response, () => server.capabilities),
  };
}

/** Adds the cache hint that the stateless revision requires. A handler may return another result for each client. */
function withCacheHint({ message, caller }: RequestScope, result: JsonObject): JsonObject {
  if (!CACHEABLE.has(message.method) || !TRAITS[caller.revision].cacheHints) return result;
  return { ttlMs: 0, cacheScope: "private", ...result };
}

const CACHEABLE: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
]);
