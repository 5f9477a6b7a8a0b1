/**
 * @fileoverview Resources, resource templates, and prompts of the server, prepared for lists.
 * @module cli/page-app/state/catalog/definitions
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { ListChange, ServerState } from "../../../src/page/protocol.js";
import { readText, toLabel, toSearchText } from "../text.js";
import { uniqueKey } from "../tools/tool-item.js";

/** Entry of a list. */
export interface CatalogItem {
  /** Unique in the list. The name, URI, or template, unless another entry has it. */
  readonly key: string;
  readonly label: string;
  readonly description: string;
  readonly definition: JsonObject;
  readonly change: "+" | "~" | undefined;
  readonly searchText: string;
}

/** Resource or resource template. */
export interface ResourceItem extends CatalogItem {
  readonly kind: "resource" | "template";
  /** URI or URI template, as the server has sent it. */
  readonly uri: string;
  readonly mediaType: string | undefined;
  readonly size: number | undefined;
}

/** Prepares the resources and the resource templates of a server. */
export function toResourceItems(
  server: Pick<ServerState, "resources" | "resourceTemplates" | "changes">,
): readonly ResourceItem[] {
  const keys = new Set<string>();
  const toItem = (definition: JsonObject, kind: ResourceItem["kind"]): ResourceItem => {
    const uri = readText(definition, kind === "resource" ? "uri" : "uriTemplate") ?? "";
    const { size } = definition;
    return {
      key: uniqueKey(uri, keys),
      kind,
      uri,
      mediaType: readText(definition, "mimeType"),
      size: typeof size === "number" ? size : undefined,
      change: changeOf(server.changes, kind === "resource" ? "resource" : "resource template", uri),
      ...describe(definition, uri),
    };
  };
  return [
    ...server.resources.map((definition) => toItem(definition, "resource")),
    ...server.resourceTemplates.map((definition) => toItem(definition, "template")),
  ];
}

/** Argument of a prompt. */
export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
}

/** Prompt in a list. */
export interface PromptItem extends CatalogItem {
  /** Name as the server has sent it. */
  readonly name: string;
  readonly arguments: readonly PromptArgument[];
}

const MAX_ARGUMENTS = 200;

/** Prepares the prompts of a server. */
export function toPromptItems({
  prompts,
  changes,
}: Pick<ServerState, "prompts" | "changes">): readonly PromptItem[] {
  const keys = new Set<string>();
  return prompts.map((definition) => {
    const name = readText(definition, "name") ?? "";
    return {
      key: uniqueKey(name, keys),
      name,
      arguments: readArguments(definition["arguments"]),
      change: changeOf(changes, "prompt", name),
      ...describe(definition, name),
    };
  });
}

function describe(definition: JsonObject, fallback: string) {
  const name = readText(definition, "name");
  const title = readText(definition, "title");
  const description = readText(definition, "description") ?? "";
  return {
    label: toLabel(title ?? name ?? fallback),
    description,
    definition,
    searchText: toSearchText(fallback, name, title, description),
  };
}

function readArguments(value: unknown): readonly PromptArgument[] {
  const all: readonly unknown[] = Array.isArray(value) ? value.slice(0, MAX_ARGUMENTS) : [];
  return all.flatMap((one) => {
    const name = isJsonObject(one) ? readText(one, "name") : undefined;
    if (name === undefined || !isJsonObject(one)) return [];
    return [{ name, description: readText(one, "description") ?? "", isRequired: one["required"] === true }];
  });
}

function changeOf(changes: readonly ListChange[], noun: string, name: string): "+" | "~" | undefined {
  const found = changes.find((change) => change.noun === noun && change.name === name)?.sign;
  return found === "-" ? undefined : found;
}
