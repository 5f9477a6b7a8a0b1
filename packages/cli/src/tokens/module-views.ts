/**
 * @fileoverview Reads the views of a Tenon server in memory: by form, by scope, and by tag.
 * @module cli/tokens/module-views
 */
import type { Server, ServerDescription } from "tenon";
import { createClient } from "tenon/client";
import { isAllowed } from "tenon/host";
import type { Revision } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import {
  type ActionDefinition,
  AS_LISTED,
  type Definitions,
  describeView,
  type View,
  type ViewKey,
} from "./views.js";

/** Selected view, and settings for reading it. */
export interface ModuleOptions {
  readonly key: ViewKey;
  readonly revision: Revision | "latest";
  /** The module's `context` export. */
  readonly context: unknown;
}

/** Recognizes servers from `defineServer`. Official SDK servers have none of these methods. */
export function isTenonServer(value: unknown): value is Server {
  if (typeof value !== "object" || value === null) return false;
  const has = (name: string) => typeof (value as Readonly<Record<string, unknown>>)[name] === "function";
  return has("handle") && has("describe") && has("view");
}

/** Reads the selected view and all views that differ from it. */
export async function readModule(server: Server, options: ModuleOptions): Promise<Definitions> {
  const description = server.describe();
  const keys = findViews(description);
  const shown = keys.slice(0, MAX_VIEWS);
  const wanted = describeView(options.key);
  const views: View[] = [];
  for (const key of shown) views.push({ key, tools: await listTools(server, { ...options, key }) });
  const selected = views.find(({ key }) => describeView(key) === wanted) ?? {
    key: options.key,
    tools: await listTools(server, options),
  };
  return {
    ...(await readOpening(server, options)),
    selected,
    views: views.includes(selected) ? views : [selected, ...views],
    omittedViews: keys.length - shown.length,
    actions: readActions(description, options.key.scopes),
  };
}

/** Maximum number of views for comparison. */
const MAX_VIEWS = 24;

/** Finds the views that can differ: one form per tool kind, one view per scope and per tag. */
function findViews({ tools }: ServerDescription): readonly ViewKey[] {
  const isGrouped = tools.some(({ outline }) => outline !== undefined && isWhole(outline));
  const scopes = unique(
    tools.flatMap((tool) => [
      ...tool.scopes,
      ...(tool.outline?.actions ?? []).flatMap((action) => action.scopes ?? []),
    ]),
  );
  const tags = unique(tools.flatMap((tool) => tool.tags));
  return [
    AS_LISTED,
    ...(isGrouped ? [{ form: "flat" } as const] : []),
    ...(scopes.length === 0 ? [] : [{ form: "listed", scopes: [] } as const]),
    ...scopes.map((scope) => ({ form: "listed", scopes: [scope] }) as const),
    ...tags.map((tag) => ({ form: "listed", filter: { tags: [tag] } }) as const),
  ];
}

function unique(words: readonly string[]): readonly string[] {
  return [...new Set(words)].toSorted();
}

type Outline = NonNullable<ServerDescription["tools"][number]["outline"]>;

/** Returns true if one tool contains all actions. Otherwise each action is a tool already. */
function isWhole({ actions }: Outline): boolean {
  return actions.some(({ call }) => Object.keys(call.arguments).length > 0);
}

async function listTools(server: Server, options: ModuleOptions): Promise<readonly JsonObject[]> {
  const { form, scopes, filter } = options.key;
  const part = filter === undefined ? server : server.view(filter);
  if (form === "flat") return listFlat(part.describe(), scopes);
  const client = await open(part, options);
  try {
    return offers(client.server, "tools") ? (await client.listTools()).map(toJson) : [];
  } finally {
    await client.close();
  }
}

function open(server: Server, { revision, context, key: { scopes } }: ModuleOptions) {
  return createClient(server, {
    revision,
    context,
    ...(scopes === undefined ? {} : { auth: { principal: "tenon", scopes } }),
  });
}

function listFlat({ tools }: ServerDescription, held: readonly string[] | undefined): readonly JsonObject[] {
  return tools
    .filter((tool) => mayUse(tool, held))
    .flatMap(({ definition, outline }) =>
      outline === undefined
        ? [definition]
        : outline.actions.filter((action) => mayUse(action, held)).map((action) => action.definition),
    )
    .map(toJson);
}

type Opening = Pick<Definitions, "server" | "revision" | "instructions" | "prompts">;

async function readOpening(server: Server, options: ModuleOptions): Promise<Opening> {
  const client = await open(server, options);
  try {
    const { instructions } = client.server;
    return {
      server: { ...client.serverInfo },
      revision: client.revision,
      instructions: typeof instructions === "string" ? instructions : undefined,
      prompts: offers(client.server, "prompts") ? (await client.listPrompts()).map(toJson) : [],
    };
  } finally {
    await client.close();
  }
}

function offers({ capabilities }: JsonObject, feature: string): boolean {
  return isJsonObject(capabilities) && capabilities[feature] !== undefined;
}

/** Returns the actions that the caller may use, by the name of their grouped tool. */
function readActions(
  { tools }: ServerDescription,
  held: readonly string[] | undefined,
): ReadonlyMap<string, readonly ActionDefinition[]> {
  const actions = new Map<string, readonly ActionDefinition[]>();
  for (const { definition, outline } of tools) {
    if (outline === undefined || !isWhole(outline)) continue;
    const own = outline.actions.filter((action) => mayUse(action, held));
    actions.set(
      definition.name,
      own.map(({ name, group, definition: action }) => ({
        name: group === undefined ? name : `${group.name}.${name}`,
        definition: toJson(action),
      })),
    );
  }
  return actions;
}

/** Returns true if a caller with these scopes may use a tool or an action. Without scopes, everything is allowed. */
function mayUse(
  { scopes = [] }: { readonly scopes?: readonly string[] },
  held: readonly string[] | undefined,
) {
  return isAllowed({ scopes }, held === undefined ? undefined : { scopes: held });
}

function toJson(definition: object): JsonObject {
  return definition as JsonObject; // Safe: a definition is a JSON object
}
