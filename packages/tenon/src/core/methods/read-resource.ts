/**
 * @fileoverview Handles `resources/read` and finds resources by URI.
 * @module tenon/core/methods/read-resource
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { ReadResult } from "../../protocol/index.js";
import type { CacheHint } from "../../protocol/revisions/encoder.js";
import { failWithError } from "../call/failure.js";
import { type Incoming, refuse, refuseWith } from "../call/incoming.js";
import { quoted } from "@tenon/internal/text";
import { admits } from "../wire/access.js";
import { type OperationKind, runOperation } from "../call/operation.js";
import type { ReadTarget, ResourceEntry } from "../definitions/resource.js";
import type { McpResponse } from "../wire/response.js";
import type { Snapshot } from "../snapshot/snapshot.js";

/**
 * Reads a resource by name or URI. If the client sends both, the name takes precedence. In stateless revisions, only the
 * URI counts, because the `Mcp-Name` header repeats it: a proxy that checks the header would not notice the name.
 */
export function readResource(incoming: Incoming, snapshot: Snapshot): MaybePromise<McpResponse> {
  const { params, exchange, encoder } = incoming;
  if (params === undefined) return refuse(incoming, "INVALID_PARAMS", "params required");
  const { uri } = params;
  const { stateless } = encoder.traits;
  const name = stateless ? undefined : params["name"];
  if (typeof name !== "string" && typeof uri !== "string") {
    const reason = stateless ? "invalid params: uri must be a string" : "either name or uri must be provided";
    return refuse(incoming, "INVALID_PARAMS", reason);
  }
  const found = typeof name === "string" ? findByName(snapshot, name) : findByUri(snapshot, String(uri));
  // Resources that the principal may not see are reported as not found.
  if (found === undefined || !admits(found.entry, exchange)) {
    const data = { uri: quoted(String(typeof uri === "string" ? uri : name)) };
    return refuseWith(incoming, { error: "RESOURCE_NOT_FOUND", message: "resource not found", data });
  }
  if (!found.entry.isReady()) {
    return refuse(incoming, "INTERNAL_ERROR", `no handler for resource: ${found.entry.name}`);
  }
  return runOperation({ kind: RESOURCE, entry: found.entry, args: found.target, incoming });
}

/** Finds the resource with this URI or, failing that, the first resource template that matches it. */
export function findByUri(snapshot: Snapshot, uri: string): FoundResource | undefined {
  const entry = snapshot.resources.get(uri);
  if (entry !== undefined) return { entry, target: { uri } };
  for (const template of snapshot.templates) {
    const variables = template.template.match(uri);
    if (variables !== undefined) return { entry: template, target: { uri, variables } };
  }
  return undefined;
}

interface FoundResource {
  readonly entry: ResourceEntry;
  readonly target: ReadTarget;
}

function findByName(snapshot: Snapshot, name: string): FoundResource | undefined {
  const entry = snapshot.resourcesByName.get(name);
  return entry && { entry, target: { uri: entry.definition.uri } };
}

const RESOURCE: OperationKind<ResourceEntry, ReadResult> = {
  noun: "Resource",
  run: (entry, target, call) => entry.run(target as ReadTarget, call), // Safe: passed to `runOperation` above
  encode: (entry, result, { encoder }) => encoder.readResult(result, entry.cache ?? UNCACHED),
  fail: (entry, error, incoming) => failWithError(entry.name, error, incoming),
};

const UNCACHED: CacheHint = { ttlMs: 0, cacheScope: "private" };
