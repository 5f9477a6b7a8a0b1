/**
 * @fileoverview The behavior of the official SDK's low-level `Server`: only declared capabilities, and only methods
 * with a handler.
 * @module sdk/mcp-server/low-level/low-level-dialect
 */
import type { McpResponse } from "tenon";
import { resultResponse } from "tenon/host";
import { McpError, TRAITS } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { Dialect } from "../dialect.js";
import type { OwnHandler } from "../requests/hooks.js";
import type { RequestScope } from "../requests/request-scope.js";
import { resultOf, withoutPushes } from "../requests/sdk-response.js";
import type { McpExtra } from "../requests/types.js";
import { createV1Dialect } from "../v1-dialect.js";

/** Parts of a low-level server that the dialect uses. */
export interface LowLevelParts {
  readonly capabilities: JsonObject;
  readonly fallbackRequestHandler: OwnHandler["handler"] | undefined;
  extraOf(scope: RequestScope): McpExtra;
  /** Returns true if the server handles a method itself. */
  isBuiltIn(method: string): boolean;
}

/** Creates the dialect of a low-level server. */
export function createLowLevelDialect(server: LowLevelParts): Dialect {
  const dialect = createV1Dialect(server);
  return {
    ...dialect,
    missing(method) {
      if (server.isBuiltIn(method)) return undefined;
      return { schema: undefined, handler: server.fallbackRequestHandler ?? rejectMethod };
    },
    async runOwn(own, scope) {
      const result = await dialect.runOwn(own, scope);
      return isJsonObject(result) ? withCacheHint(scope, result) : result;
    },
    complete(scope, response) {
      const { method } = scope.message;
      const isOpening = method === "initialize" || method === "server/discover";
      return isOpening ? withExactCapabilities(scope, response, server.capabilities) : response;
    },
  };
}

function rejectMethod(): never {
  throw new McpError("METHOD_NOT_FOUND", "Method not found");
}

/** Replaces the capabilities of the core, which handles all methods, with those that the application declares. */
function withExactCapabilities(
  scope: RequestScope,
  response: McpResponse,
  declared: JsonObject,
): McpResponse {
  const canPush = scope.exchange?.connection.pushes !== false;
  const entries = Object.entries(declared)
    // The stateless revision does not have these tasks.
    .filter(([name]) => name !== "tasks" || scope.era === "legacy")
    .map(([name, value]) => [name, canPush || !isJsonObject(value) ? value : withoutPushes(value)] as const);
  const result = { ...resultOf(response), capabilities: Object.fromEntries(entries) };
  return resultResponse(scope.message.id, JSON.stringify(result));
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
