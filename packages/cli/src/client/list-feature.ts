/**
 * @fileoverview Lists a feature's entries, if the server declares the feature.
 * @module cli/client/list-feature
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { Client } from "tenon/client";

/** Lists that a server can offer. */
export type FeatureList = "tools" | "resources" | "resourceTemplates" | "prompts";

/** Returns all entries of a list. Returns an empty list if the server does not declare the feature. */
export async function listFeature(client: Client, list: FeatureList): Promise<readonly JsonObject[]> {
  const { feature, method } = LISTS[list];
  const { capabilities } = client.server;
  if (!isJsonObject(capabilities) || capabilities[feature] === undefined) return [];
  return client.listAll(method, list);
}

const LISTS: Readonly<Record<FeatureList, { readonly feature: string; readonly method: string }>> = {
  tools: { feature: "tools", method: "tools/list" },
  resources: { feature: "resources", method: "resources/list" },
  resourceTemplates: { feature: "resources", method: "resources/templates/list" },
  prompts: { feature: "prompts", method: "prompts/list" },
};
