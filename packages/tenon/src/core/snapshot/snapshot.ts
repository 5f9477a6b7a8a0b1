/**
 * @fileoverview Everything that a server knows at build, compiled: entries to look up, and answers as bytes. A
 * snapshot never changes; an update makes the next one.
 * @module core/snapshot
 */
import type { JsonObject } from "@tenon/internal/json";
import {
  byRevision,
  createEncoder,
  type Era,
  METHODS,
  projectDescribed,
  projectTool,
  type Revision,
  serverCapabilities,
} from "../../protocol/index.js";
import type { Extension, ExtensionMethod } from "../definitions/extension.js";
import { createList, type Encoders, type ServedList } from "./lists.js";
import type { Plan } from "../definitions/plan.js";
import type { PromptEntry } from "../definitions/prompt.js";
import type { FixedResourceEntry, TemplateEntry } from "../definitions/resource.js";
import { Payload } from "../wire/response.js";
import type { CompileSettings, ToolEntry } from "../definitions/tool.js";

/** The methods that answer with a list. */
export type ListMethod = "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list";

/** A server, compiled. */
export interface Snapshot {
  readonly plan: Plan;
  readonly encoders: Encoders;
  readonly lists: Readonly<Record<ListMethod, ServedList>>;
  /** The answers that open a conversation, for connections that can and cannot be sent to at any time. */
  readonly initializeReplies: Readonly<Record<"stateful" | "still", Readonly<Record<Revision, Payload>>>>;
  readonly tools: ReadonlyMap<string, ToolEntry>;
  readonly resources: ReadonlyMap<string, FixedResourceEntry>;
  readonly resourcesByName: ReadonlyMap<string, FixedResourceEntry>;
  readonly templates: readonly TemplateEntry[];
  readonly prompts: ReadonlyMap<string, PromptEntry>;
  readonly extensionMethods: Readonly<Record<Era, ReadonlyMap<string, ExtensionMethod>>>;
}

/** Compiles a plan. Lists are serialized first; the same entries then go into the maps. */
export function createSnapshot(plan: Plan): Snapshot {
  const { settings } = plan;
  const tools = compileAll("Tool", plan.tools, settings, toolEntries);
  const resources = compileAll("Resource", plan.resources, settings, resourceEntries);
  const templates = compileAll("Resource template", plan.templates, settings, templateEntries);
  const prompts = compileAll("Prompt", plan.prompts, settings, promptEntries);

  const encoders = byRevision((revision) => createEncoder(revision, plan.info));
  const options = { pageSize: plan.pageSize, ttlMs: plan.listTtlMs };
  const lists = {
    "tools/list": createList(
      { key: "tools", items: tools, project: (tool, traits) => projectTool(tool.definition, traits) },
      encoders,
      options,
    ),
    "resources/list": createList(
      { key: "resources", items: resources, project: projectEntry },
      encoders,
      options,
    ),
    "resources/templates/list": createList(
      { key: "resourceTemplates", items: templates, project: projectEntry },
      encoders,
      options,
    ),
    "prompts/list": createList({ key: "prompts", items: prompts, project: projectEntry }, encoders, options),
  };
  const features = {
    tools: tools.length > 0,
    resources: resources.length + templates.length > 0,
    prompts: prompts.length > 0,
    completions: [...prompts, ...templates].some((entry) => Object.keys(entry.complete).length > 0),
    logging: true,
    extensions: Object.fromEntries(plan.extensions.map(({ id, capability }) => [id, capability])),
    experimental: plan.experimental,
  };
  const greet = (revision: Revision, pushes: boolean) => {
    const encoder = encoders[revision];
    const cache = { ttlMs: plan.listTtlMs, cacheScope: "public" } as const;
    return new Payload(
      encoder.greeting(serverCapabilities(features, encoder.traits, pushes), plan.instructions, cache),
    );
  };

  return {
    plan,
    encoders,
    lists,
    initializeReplies: {
      stateful: byRevision((revision) => greet(revision, true)),
      still: byRevision((revision) => greet(revision, false)),
    },
    tools: indexBy("Tool", tools, (tool) => tool.name),
    resources: indexBy("Resource URI", resources, (resource) => resource.definition.uri),
    resourcesByName: indexBy("Resource", resources, (resource) => resource.name),
    templates: [...indexBy("Resource template", templates, (template) => template.name).values()],
    prompts: indexBy("Prompt", prompts, (prompt) => prompt.name),
    extensionMethods: {
      legacy: extensionMethods(plan.extensions, "legacy"),
      modern: extensionMethods(plan.extensions, "modern"),
    },
  };
}

function projectEntry(
  entry: FixedResourceEntry | TemplateEntry | PromptEntry,
  traits: Parameters<typeof projectDescribed>[1],
): JsonObject {
  return projectDescribed(entry.definition, traits);
}

interface Draft<Entry> {
  readonly name: string;
  compile(settings: CompileSettings): Entry;
}

/** Compiled entries by draft: an update compiles only what it adds. */
type EntryCache<Entry> = WeakMap<Draft<Entry>, { readonly settings: CompileSettings; readonly entry: Entry }>;

const toolEntries: EntryCache<ToolEntry> = /* @__PURE__ */ new WeakMap();
const resourceEntries: EntryCache<FixedResourceEntry> = /* @__PURE__ */ new WeakMap();
const templateEntries: EntryCache<TemplateEntry> = /* @__PURE__ */ new WeakMap();
const promptEntries: EntryCache<PromptEntry> = /* @__PURE__ */ new WeakMap();

function compileAll<Entry>(
  noun: string,
  drafts: readonly Draft<Entry>[],
  settings: CompileSettings,
  cache: EntryCache<Entry>,
): readonly Entry[] {
  return drafts.map((draft) => {
    const known = cache.get(draft);
    if (known?.settings === settings) return known.entry;
    checkName(noun, draft.name);
    const entry = draft.compile(settings);
    cache.set(draft, { settings, entry });
    return entry;
  });
}

function checkName(noun: string, name: string): void {
  if (typeof name !== "string" || name === "") throw new Error(`${noun} needs a name`);
  if (name.length > 128)
    throw new Error(`${noun} "${name.slice(0, 32)}…" has a name of more than 128 characters`);
  if (/\p{Cc}/u.test(name))
    throw new Error(`${noun} ${JSON.stringify(name)} has a control character in its name`);
}

function indexBy<Entry>(
  noun: string,
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string,
): ReadonlyMap<string, Entry> {
  const map = new Map<string, Entry>();
  for (const entry of entries) {
    const key = keyOf(entry);
    if (map.has(key)) throw new Error(`${noun} "${key}" is already registered`);
    map.set(key, entry);
  }
  return map;
}

function extensionMethods(extensions: readonly Extension[], era: Era): ReadonlyMap<string, ExtensionMethod> {
  const methods = new Map<string, ExtensionMethod>();
  const reserved: readonly string[] = [...METHODS.legacy, ...METHODS.modern];
  const ids = new Set<string>();
  for (const { id, methods: own } of extensions) {
    if (ids.has(id)) throw new Error(`Extension "${id}" is already registered`);
    ids.add(id);
    for (const [name, method] of Object.entries(own)) {
      if (reserved.includes(name)) throw new Error(`Extension "${id}" cannot replace the method ${name}`);
      if (name.startsWith("notifications/"))
        throw new Error(`Extension "${id}" cannot add the notification ${name}`);
      if (methods.has(name))
        throw new Error(`Extension "${id}" adds the method ${name}, which another one has`);
      if ((method.eras ?? ["modern"]).includes(era)) methods.set(name, method);
    }
  }
  return methods;
}
