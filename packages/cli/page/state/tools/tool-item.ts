/**
 * @fileoverview Tools of the server, prepared for lists: unique keys, safe labels, actions, and texts to search.
 * @module cli/page-app/state/tools/tool-item
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { Finding, ListChange, ServerState, ToolEntry } from "../../../src/page/protocol.js";
import { readText, toLabel, toSearchText } from "../text.js";

/** Tool in a list. */
export interface ToolItem {
  /** Unique in the list. The name, unless it is empty or another tool has it. */
  readonly key: string;
  /** Name for calls, as the server has sent it. */
  readonly name: string;
  readonly label: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly definition: JsonObject;
  readonly schema: unknown;
  readonly tokens: number | undefined;
  readonly findings: readonly Finding[];
  /** Change by the last reload. */
  readonly change: "+" | "~" | undefined;
  /** Actions of a grouped tool. */
  readonly actions: ToolActions | undefined;
  readonly searchText: string;
}

/** Prepares the tools of a server. */
export function toToolItems({ tools, changes }: Pick<ServerState, "tools" | "changes">): readonly ToolItem[] {
  const keys = new Set<string>();
  const signs = new Map(changes.filter(({ noun }) => noun === "tool").map(({ name, sign }) => [name, sign]));
  return tools.map((entry) => {
    const name = readText(entry.definition, "name") ?? "";
    return toItem(entry, { key: uniqueKey(name, keys), name, sign: signs.get(name) });
  });
}

interface ItemFacts {
  readonly key: string;
  readonly name: string;
  readonly sign: ListChange["sign"] | undefined;
}

function toItem({ definition, tokens, findings }: ToolEntry, { key, name, sign }: ItemFacts): ToolItem {
  const title = titleOf(definition);
  const description = readText(definition, "description") ?? "";
  const schema = definition["inputSchema"];
  const actions = findActions(schema);
  return {
    key,
    name,
    label: toLabel(name),
    title: title === undefined ? undefined : toLabel(title),
    description,
    definition,
    schema,
    tokens,
    findings,
    change: sign === "-" ? undefined : sign,
    actions,
    searchText: toSearchText(name, title, description, actions?.names.join("\n")),
  };
}

/** Returns the title of a definition: its own, or the one in its annotations, where older servers have it. */
function titleOf(definition: JsonObject): string | undefined {
  const { annotations } = definition;
  const title =
    readText(definition, "title") ?? (isJsonObject(annotations) ? readText(annotations, "title") : undefined);
  return title === "" ? undefined : title;
}

/** Returns a key that is not in use: the name, or the name and a number. */
export function uniqueKey(name: string, used: Set<string>): string {
  let key = name;
  for (let number = 2; key === "" || used.has(key); number++) key = `${name}#${number}`;
  used.add(key);
  return key;
}

/** Actions of a grouped tool. */
interface ToolActions {
  /** Argument that selects the action. */
  readonly argument: string;
  readonly names: readonly string[];
}

/** Names of arguments that select an action. */
const ARGUMENTS = ["action", "operation", "command"] as const;
const MAX_ACTIONS = 200;

/** Returns the actions of a tool with this input schema, or `undefined` if it is not a grouped tool. */
export function findActions(schema: unknown): ToolActions | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { properties, required } = schema;
  if (!isJsonObject(properties) || !Array.isArray(required)) return undefined;
  const isRequired = (name: string) => required.some((one: unknown) => one === name);
  for (const argument of ARGUMENTS) {
    const property = Object.hasOwn(properties, argument) ? properties[argument] : undefined;
    if (!isRequired(argument) || !isJsonObject(property)) continue;
    const values: readonly unknown[] = Array.isArray(property["enum"]) ? property["enum"] : [];
    const names = values.filter((value) => typeof value === "string");
    if (names.length >= 2 && names.length === values.length && names.length <= MAX_ACTIONS)
      return { argument, names: [...new Set(names)] };
  }
  return undefined;
}
