/**
 * @fileoverview Adds the resources that list callbacks return to the response to `resources/list`.
 * @module sdk/mcp-server/requests/list-callbacks
 */
import type { McpResponse } from "tenon";
import { isAllowed, resultResponse } from "tenon/host";
import { projectDescribed, TRAITS } from "tenon/protocol";
import type { JsonObject } from "@tenon/internal/json";
import type { RequestScope } from "./request-scope.js";
import type { ListedResource, ListResourcesCallback, McpExtra, ResourceMetadata } from "./types.js";

/** A template's list callback, with the template's metadata and scopes. */
export interface Lister {
  readonly list: ListResourcesCallback;
  readonly metadata: ResourceMetadata;
  readonly scopes: readonly string[];
}

/** Runs the list callbacks of templates that the caller may use, and returns the response with all resources. @param extra last argument of callbacks */
export async function listAll(
  scope: RequestScope,
  result: JsonObject,
  { listers, extra }: { readonly listers: readonly Lister[]; readonly extra: McpExtra },
): Promise<McpResponse> {
  const traits = TRAITS[scope.caller.revision];
  const resources = [...(result["resources"] as readonly JsonObject[])]; // Safe: the core creates this result
  scope.isScopedList ||= listers.some(({ scopes }) => scopes.length > 0);
  for (const lister of listers) {
    if (!isAllowed(lister, scope.exchange?.auth)) continue;
    const { list, metadata } = lister;
    const listed = await list(extra);
    for (const resource of listed.resources) {
      const definition: ListedResource = { ...metadata, ...resource };
      resources.push(projectDescribed(definition, traits));
    }
  }
  scope.isOver = true;
  // A list callback may return a different list for each client, so shared caches must not store the list.
  const cache = traits.cacheHints ? { ttlMs: 0, cacheScope: "private" } : {};
  return resultResponse(scope.message.id, JSON.stringify({ ...result, resources, ...cache }));
}
