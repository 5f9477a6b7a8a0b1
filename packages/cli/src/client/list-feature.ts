/**
 * @fileoverview Lists that a server can offer, and their entries.
 * @module cli/client/list-feature
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { Client } from "tenon/client";

/** Name of a list, which is also its key in a response. */
export type ListName = "tools" | "resources" | "resourceTemplates" | "prompts";

/** Entries of all lists. */
export type ListedEntries = Readonly<Record<ListName, readonly JsonObject[]>>;

/** Facts about a list. */
export interface ListFacts {
  readonly method: string;
  /** Capability that declares the list. */
  readonly capability: "tools" | "resources" | "prompts";
  /** Noun of an entry. */
  readonly noun: string;
  /** Member that identifies an entry. */
  readonly key: string;
}

/** Lists, in the order in which they are read. */
export const LISTS: Readonly<Record<ListName, ListFacts>> = {
  tools: { method: "tools/list", capability: "tools", noun: "tool", key: "name" },
  resources: { method: "resources/list", capability: "resources", noun: "resource", key: "uri" },
  resourceTemplates: {
    method: "resources/templates/list",
    capability: "resources",
    noun: "resource template",
    key: "uriTemplate",
  },
  prompts: { method: "prompts/list", capability: "prompts", noun: "prompt", key: "name" },
};

/** Names of the lists, in the order in which they are read. */
export const LIST_NAMES = Object.keys(LISTS) as readonly ListName[]; // Safe: these are the keys of `LISTS`

/** Creates a value for each list. */
export function mapLists<T>(toValue: (name: ListName) => T): Readonly<Record<ListName, T>> {
  const entries = LIST_NAMES.map((name) => [name, toValue(name)] as const);
  return Object.fromEntries(entries) as Record<ListName, T>; // Safe: `LIST_NAMES` contains all names
}

/** Returns all entries of a list. Returns an empty list if the server does not declare the feature. */
export async function listFeature(client: Client, list: ListName): Promise<readonly JsonObject[]> {
  const { capability, method } = LISTS[list];
  const { capabilities } = client.server;
  if (!isJsonObject(capabilities) || capabilities[capability] === undefined) return [];
  return client.listAll(method, list);
}

/** Returns the entries of all lists. */
export async function listFeatures(client: Client): Promise<ListedEntries> {
  return {
    tools: await listFeature(client, "tools"),
    resources: await listFeature(client, "resources"),
    resourceTemplates: await listFeature(client, "resourceTemplates"),
    prompts: await listFeature(client, "prompts"),
  };
}
