/**
 * @fileoverview Definitions of the server, prepared once for each change.
 * @module cli/page-app/state/catalog/catalog
 */
import { computed, type ReadonlySignal } from "@preact/signals";
import { isJsonObject } from "@tenon/internal/json";
import type { ServerState } from "../../../src/page/protocol.js";
import { type ToolItem, toToolItems } from "../tools/tool-item.js";
import { type PromptItem, type ResourceItem, toPromptItems, toResourceItems } from "./definitions.js";

/** Definitions of the server. */
export interface Catalog {
  readonly tools: ReadonlySignal<readonly ToolItem[]>;
  readonly resources: ReadonlySignal<readonly ResourceItem[]>;
  readonly prompts: ReadonlySignal<readonly PromptItem[]>;
  /** Returns true if the server has declared a capability, such as `resources.subscribe`. */
  readonly hasCapability: (path: string) => boolean;
}

/** Prepares the definitions of a server. */
export function createCatalog(server: ReadonlySignal<ServerState | undefined>): Catalog {
  return {
    tools: computed(() => (server.value === undefined ? [] : toToolItems(server.value))),
    resources: computed(() => (server.value === undefined ? [] : toResourceItems(server.value))),
    prompts: computed(() => (server.value === undefined ? [] : toPromptItems(server.value))),
    hasCapability: (path) => hasCapability(server.value?.capabilities, path),
  };
}

/** Returns true if a capability is declared, and is not `false`. */
export function hasCapability(capabilities: unknown, path: string): boolean {
  let value = capabilities;
  for (const key of path.split(".")) {
    value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value !== undefined && value !== null && value !== false;
}
