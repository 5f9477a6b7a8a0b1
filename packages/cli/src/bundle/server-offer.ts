/**
 * @fileoverview Reads a server's name and lists, and compares those of a bundle to those of its module.
 * @module cli/bundle/server-offer
 */
import { canonicalJson, isJsonObject, type JsonObject } from "@tenon/internal/json";
import { oneLine } from "@tenon/internal/text";
import type { Client } from "tenon/client";
import {
  LIST_NAMES,
  type ListedEntries,
  type ListName,
  listFeatures,
  LISTS,
} from "../client/list-feature.js";

/** A server's name and lists. */
export interface ServerOffer extends ListedEntries {
  /** Name, version, and title. */
  readonly info: JsonObject;
}

/** Outcome of a call. */
export interface CallOutcome {
  /** Name of the tool. */
  readonly tool: string;
  /** True if the tool failed. */
  readonly isError: boolean;
}

/** Reads a server's name and lists. */
export async function readOffer(client: Client): Promise<ServerOffer> {
  return { info: { ...client.serverInfo }, ...(await listFeatures(client)) };
}

/**
 * Calls one tool to check that handlers run. Only a tool that is safe to call is called: it declares that it reads
 * only, and only in a closed world, and it has no required arguments. Returns `undefined` if there is none.
 */
export async function callSafeTool(
  client: Client,
  tools: readonly JsonObject[],
): Promise<CallOutcome | undefined> {
  const name = tools.find(isSafe)?.["name"];
  if (typeof name !== "string") return undefined;
  const isError = await client.request("tools/call", { name, arguments: {} }).then(
    (result) => result["isError"] === true,
    () => true,
  );
  return { tool: name, isError };
}

/** Compares a bundle's lists to those of its module. Returns one line for each difference. */
export function compareOffers(module: ServerOffer, bundle: ServerOffer): readonly string[] {
  const lists = LIST_NAMES.flatMap((list) => {
    const [expected, actual] = [indexOf(module[list], list), indexOf(bundle[list], list)];
    const names = [...new Set([...expected.keys(), ...actual.keys()])];
    return names
      .filter((name) => expected.get(name) !== actual.get(name))
      .map((name) => {
        const { noun } = LISTS[list];
        const what = `${noun.charAt(0).toUpperCase()}${noun.slice(1)} "${oneLine(name, 100)}"`;
        if (!actual.has(name)) return `${what} is missing.`;
        return expected.has(name) ? `${what} is defined differently.` : `${what} is not in the module.`;
      });
  });
  const isSame = canonicalJson(module.info) === canonicalJson(bundle.info);
  return isSame ? lists : ["The server's name, version, or title is different.", ...lists];
}

function indexOf(entries: readonly JsonObject[], list: ListName): ReadonlyMap<string, string> {
  return new Map(entries.map((entry) => [String(entry[LISTS[list].key]), canonicalJson(entry)]));
}

function isSafe({ annotations, inputSchema }: JsonObject): boolean {
  const hints = isJsonObject(annotations) ? annotations : {};
  const required = isJsonObject(inputSchema) ? inputSchema["required"] : undefined;
  const takesNothing = !Array.isArray(required) || required.length === 0;
  return hints["readOnlyHint"] === true && hints["openWorldHint"] === false && takesNothing;
}
