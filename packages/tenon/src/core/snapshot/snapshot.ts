/**
 * @fileoverview Compiles a plan into lookup tables and serialized responses. A snapshot is immutable. An update creates
 * a new one.
 * @module tenon/core/snapshot/snapshot
 */
import type { JsonObject } from "@tenon/internal/json";
import {
  byRevision,
  createEncoder,
  type Era,
  projectDescribed,
  projectTool,
  type Revision,
} from "../../protocol/index.js";
import { METHODS } from "../../protocol/revisions/methods.js";
import { serverCapabilities } from "../../protocol/revisions/capabilities.js";
import type { Attachments, ListenHook } from "../definitions/attached-extension.js";
import type { ExtensionMethod } from "../definitions/extension.js";
import type { OperationKind } from "../call/operation.js";
import type { HandlerObserver } from "../wire/hosted-server.js";
import { createList, type Encoders, type Listed, type ListSource, type ServedList } from "./lists.js";
import { type Entries, observeEntries } from "./observed-entries.js";
import type { Plan } from "../definitions/plan.js";
import type { PromptEntry } from "../definitions/prompt.js";
import type { FixedResourceEntry, TemplateEntry } from "../definitions/resource.js";
import { kindOf } from "@tenon/internal/kind-of";
import { Payload } from "../wire/response.js";
import type { CompileSettings, ToolEntry } from "../definitions/tool.js";

/** Method that returns a list. */
export type ListMethod = "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list";

/** A server's compiled definitions and serialized responses. */
export interface Snapshot {
  readonly plan: Plan;
  readonly encoders: Encoders;
  readonly lists: Readonly<Record<ListMethod, ServedList>>;
  /** Results of `initialize`. `stateful` is for connections over which the server can send messages at any time. */
  readonly initializeReplies: Readonly<Record<"stateful" | "stateless", Readonly<Record<Revision, Payload>>>>;
  readonly tools: ReadonlyMap<string, ToolEntry>;
  readonly resources: ReadonlyMap<string, FixedResourceEntry>;
  readonly resourcesByName: ReadonlyMap<string, FixedResourceEntry>;
  readonly templates: readonly TemplateEntry[];
  readonly prompts: ReadonlyMap<string, PromptEntry>;
  readonly extensionMethods: Readonly<Record<Era, ReadonlyMap<string, ExtensionMethod>>>;
  /** Runs tools that have a `task` option. Absent if no extension runs tasks. */
  readonly taskKind: OperationKind<ToolEntry, unknown> | undefined;
  /** Functions that read the filters of extensions in `subscriptions/listen`. */
  readonly listenHooks: readonly ListenHook[];
}

/**
 * Compiles a plan.
 *
 * @param observer observes the handlers. Without it, the entries are those that the drafts compile to
 * @throws if a definition is invalid, or if a name or URI is not unique
 */
export function createSnapshot(plan: Plan, attachments: Attachments, observer?: HandlerObserver): Snapshot {
  const { settings } = plan;
  const compiled: Entries = {
    tools: compileAll(plan.tools, { noun: "Tool", settings, cache: toolEntries }),
    resources: compileAll(plan.resources, { noun: "Resource", settings, cache: resourceEntries }),
    templates: compileAll(plan.templates, { noun: "Resource template", settings, cache: templateEntries }),
    prompts: compileAll(plan.prompts, { noun: "Prompt", settings, cache: promptEntries }),
  };
  const entries = observer === undefined ? compiled : observeEntries(compiled, observer);
  const { tools, resources, templates, prompts } = entries;
  const encoders = byRevision((revision) => createEncoder(revision, plan.info));
  const attached = plan.extensions.map((extension) => attachments.of(extension));
  const methods = plan.extensions.map(({ id, methods: own }, index) => ({
    id,
    methods: { ...own, ...attached[index]?.methods },
  }));
  const taskKind = attached.find((one) => one.taskKind !== undefined)?.taskKind;
  if (taskKind === undefined) assertNoTasks(tools);
  return {
    plan,
    encoders,
    lists: createLists(plan, entries, encoders),
    initializeReplies: createInitializeReplies(plan, entries, encoders),
    tools: indexBy("Tool", tools, (tool) => tool.name),
    resources: indexBy("Resource URI", resources, (resource) => resource.definition.uri),
    resourcesByName: indexBy("Resource", resources, (resource) => resource.name),
    templates: [...indexBy("Resource template", templates, (template) => template.name).values()],
    prompts: indexBy("Prompt", prompts, (prompt) => prompt.name),
    extensionMethods: {
      legacy: extensionMethods(methods, "legacy"),
      modern: extensionMethods(methods, "modern"),
    },
    taskKind,
    listenHooks: attached.flatMap(({ listen }) => (listen === undefined ? [] : [listen])),
  };
}

function createLists(plan: Plan, entries: Entries, encoders: Encoders): Snapshot["lists"] {
  const { tools, resources, templates, prompts } = entries;
  const options = { pageSize: plan.pageSize, ttlMs: plan.listTtlMs };
  const list = <Item extends Listed>(source: ListSource<Item>) => createList(source, encoders, options);
  return {
    "tools/list": list({
      key: "tools",
      items: tools,
      partsOf: ({ restricted }) => restricted,
      project: (tool, traits) => projectTool(tool.definition, traits),
    }),
    "resources/list": list({ key: "resources", items: resources, project: projectEntry }),
    "resources/templates/list": list({ key: "resourceTemplates", items: templates, project: projectEntry }),
    "prompts/list": list({ key: "prompts", items: prompts, project: projectEntry }),
  };
}

function createInitializeReplies(
  plan: Plan,
  { tools, resources, templates, prompts }: Entries,
  encoders: Encoders,
): Snapshot["initializeReplies"] {
  const features = {
    tools: tools.length > 0,
    resources: resources.length + templates.length > 0,
    prompts: prompts.length > 0,
    completions: [...prompts, ...templates].some((entry) => Object.keys(entry.complete).length > 0),
    logging: true,
    extensions: Object.fromEntries(plan.extensions.map(({ id, capability }) => [id, capability])),
    experimental: plan.experimental,
  };
  const cache = { ttlMs: plan.listTtlMs, cacheScope: "public" } as const;
  const createReply = (revision: Revision, pushes: boolean) => {
    const encoder = encoders[revision];
    const capabilities = serverCapabilities(features, encoder.traits, pushes);
    return new Payload(encoder.initializeResult(capabilities, plan.instructions, cache));
  };
  return {
    stateful: byRevision((revision) => createReply(revision, true)),
    stateless: byRevision((revision) => createReply(revision, false)),
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

/** Compiled entries by draft, so that an update compiles only new drafts. */
type EntryCache<Entry> = WeakMap<Draft<Entry>, { readonly settings: CompileSettings; readonly entry: Entry }>;

const toolEntries: EntryCache<ToolEntry> = /* @__PURE__ */ new WeakMap();
const resourceEntries: EntryCache<FixedResourceEntry> = /* @__PURE__ */ new WeakMap();
const templateEntries: EntryCache<TemplateEntry> = /* @__PURE__ */ new WeakMap();
const promptEntries: EntryCache<PromptEntry> = /* @__PURE__ */ new WeakMap();

interface CompileOptions<Entry> {
  /** Entry kind that error messages start with, such as `Tool`. */
  readonly noun: string;
  readonly settings: CompileSettings;
  readonly cache: EntryCache<Entry>;
}

function compileAll<Entry>(
  drafts: readonly Draft<Entry>[],
  { noun, settings, cache }: CompileOptions<Entry>,
): readonly Entry[] {
  return drafts.map((draft) => {
    const known = cache.get(draft);
    if (known?.settings === settings) return known.entry;
    assertName(noun, draft.name);
    const entry = draft.compile(settings);
    cache.set(draft, { settings, entry });
    return entry;
  });
}

function assertName(noun: string, name: string): void {
  if (typeof name !== "string" || name === "") {
    throw new Error(`${noun}: the name must be a non-empty string; got ${kindOf(name)}.`);
  }
  if (name.length > 128) {
    const start = name.slice(0, 32);
    throw new Error(`${noun} "${start}…": the name must be at most 128 characters long; got ${name.length}.`);
  }
  if (/\p{Cc}/u.test(name))
    throw new Error(`${noun} ${JSON.stringify(name)}: the name must not contain control characters.`);
}

function indexBy<Entry>(
  noun: string,
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string,
): ReadonlyMap<string, Entry> {
  const map = new Map<string, Entry>();
  for (const entry of entries) {
    const key = keyOf(entry);
    if (map.has(key)) {
      const kind = noun === "Resource URI" ? "URIs" : "Names";
      throw new Error(`${noun} "${key}" is already defined. ${kind} must be unique.`);
    }
    map.set(key, entry);
  }
  return map;
}

/** Throws an error if a tool has a `task` option that no extension handles. */
function assertNoTasks(tools: readonly ToolEntry[]): void {
  const wrong = tools.find(({ taskOf }) => taskOf !== undefined);
  if (wrong === undefined) return;
  throw new Error(
    `Tool "${wrong.name}" has a \`task\` option, but the server cannot run tasks. ` +
      'Add `.extension(tasks())`, with `tasks` from "tenon/tasks".',
  );
}

/** Methods of one extension. */
interface OwnMethods {
  readonly id: string;
  readonly methods: Readonly<Record<string, ExtensionMethod>>;
}

function extensionMethods(extensions: readonly OwnMethods[], era: Era): ReadonlyMap<string, ExtensionMethod> {
  const methods = new Map<string, ExtensionMethod>();
  const reserved: readonly string[] = [...METHODS.legacy, ...METHODS.modern];
  const ids = new Set<string>();
  const owners = new Map<string, string>();
  for (const { id, methods: own } of extensions) {
    if (ids.has(id)) throw new Error(`Extension "${id}" is already defined. IDs must be unique.`);
    ids.add(id);
    for (const [name, method] of Object.entries(own)) {
      const label = `Extension "${id}": the method "${name}"`;
      if (reserved.includes(name)) throw new Error(`${label} is part of MCP. Rename it.`);
      if (name.startsWith("notifications/")) {
        throw new Error(`${label} is a notification. Extensions can only add requests. Rename it.`);
      }
      if (methods.has(name)) {
        const owner = owners.get(name) ?? "";
        throw new Error(`${label} is already defined by extension "${owner}". Method names must be unique.`);
      }
      if (!(method.eras ?? ["modern"]).includes(era)) continue;
      methods.set(name, method);
      owners.set(name, id);
    }
  }
  return methods;
}
