/**
 * @fileoverview Compiles a plan into lookup tables and serialized responses. A snapshot is immutable. An update creates
 * a new one.
 * @module tenon/core/snapshot/snapshot
 */
import type { JsonObject } from "@tenon/internal/json";
import {
  createEncoder,
  type Era,
  projectDescribed,
  projectTool,
  REVISIONS,
  type Revision,
} from "../../protocol/index.js";
import { METHODS } from "../../protocol/revisions/methods.js";
import { onceByRevision } from "../../protocol/revisions/revision.js";
import { serverCapabilities } from "../../protocol/revisions/capabilities.js";
import type { Attachments, ListenHook } from "../definitions/attached-extension.js";
import type { ExtensionMethod } from "../definitions/extension.js";
import type { OperationKind } from "../call/operation.js";
import type { HandlerObserver } from "../wire/hosted-server.js";
import { createList, type EncoderLookup, type Listed, type ListSource, type ServedList } from "./lists.js";
import { type Entries, observeEntries } from "./observed-entries.js";
import type { Plan } from "../definitions/plan.js";
import type { PromptEntry } from "../definitions/prompt.js";
import type { FixedResourceEntry, TemplateEntry } from "../definitions/resource.js";
import { kindOf } from "@tenon/internal/kind-of";
import { Payload } from "../wire/response.js";
import type { CompileSettings, ToolDraft, ToolEntry } from "../definitions/tool.js";
import { type ToolTable, ToolsOnDemand } from "./tool-table.js";

/** Method that returns a list. */
export type ListMethod = "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list";

/** A server's compiled definitions and serialized responses. */
export interface Snapshot {
  readonly plan: Plan;
  readonly encoderOf: EncoderLookup;
  readonly lists: Readonly<Record<ListMethod, ServedList>>;
  /** Results of `initialize`. `stateful` is for connections over which the server can send messages at any time. */
  readonly initializeReplies: Readonly<Record<"stateful" | "stateless", (revision: Revision) => Payload>>;
  readonly tools: ToolTable;
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
  const { settings, isOnDemand = false } = plan;
  const isDeferred = (draft: ToolDraft) => isOnDemand && draft.isChecked === true && observer === undefined;
  const compiled: Entries = {
    tools: compileAll(
      plan.tools.filter((draft) => !isDeferred(draft)),
      { noun: "Tool", settings, cache: toolEntries },
    ),
    resources: compileAll(plan.resources, { noun: "Resource", settings, cache: resourceEntries }),
    templates: compileAll(plan.templates, { noun: "Resource template", settings, cache: templateEntries }),
    prompts: compileAll(plan.prompts, { noun: "Prompt", settings, cache: promptEntries }),
  };
  const entries = observer === undefined ? compiled : observeEntries(compiled, observer);
  const { resources, templates, prompts } = entries;
  const tools = plan.tools.some(isDeferred)
    ? toolsOnDemand(plan)
    : indexBy("Tool", entries.tools, (tool) => tool.name);
  const encoderOf = onceByRevision((revision) => createEncoder(revision, plan.info));
  const attached = plan.extensions.map((extension) => attachments.of(extension));
  const methods = plan.extensions.map(({ id, methods: own }, index) => ({
    id,
    methods: { ...own, ...attached[index]?.methods },
  }));
  const taskKind = attached.find((one) => one.taskKind !== undefined)?.taskKind;
  if (taskKind === undefined) assertNoTasks(entries.tools);
  const snapshot: Snapshot = {
    plan,
    encoderOf,
    lists: createLists(plan, { ...entries, tools }, encoderOf),
    initializeReplies: createInitializeReplies(plan, entries, encoderOf),
    tools,
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
  if (!isOnDemand) serializeAll(snapshot);
  return snapshot;
}

/** Creates the table of a plan whose tools compile on first use. @throws if a name is not unique */
function toolsOnDemand({ tools, settings }: Plan): ToolTable {
  const drafts = indexBy("Tool", tools, (draft) => draft.name);
  return new ToolsOnDemand(drafts, (draft) => {
    const known = toolEntries.get(draft);
    if (known?.settings === settings) return known.entry;
    assertName("Tool", draft.name);
    return draft.compile(settings);
  });
}

/** Serializes all lists and responses, so that a request only needs a lookup. */
function serializeAll({ lists, initializeReplies }: Snapshot): void {
  const { stateful, stateless } = initializeReplies;
  for (const revision of REVISIONS) {
    for (const list of Object.values(lists)) list.page(revision, undefined, undefined);
    stateful(revision);
    stateless(revision);
  }
}

function createLists(
  plan: Plan,
  { tools, resources, templates, prompts }: Omit<Entries, "tools"> & { readonly tools: ToolTable },
  encoderOf: EncoderLookup,
): Snapshot["lists"] {
  const options = { pageSize: plan.pageSize, ttlMs: plan.listTtlMs };
  const list = <Item extends Listed>(source: ListSource<Item>) => createList(source, encoderOf, options);
  return {
    "tools/list": list({
      key: "tools",
      items: () => [...tools.values()],
      partsOf: ({ restricted }) => restricted,
      project: (tool, traits) => projectTool(tool.definition, traits),
    }),
    "resources/list": list({ key: "resources", items: () => resources, project: projectEntry }),
    "resources/templates/list": list({
      key: "resourceTemplates",
      items: () => templates,
      project: projectEntry,
    }),
    "prompts/list": list({ key: "prompts", items: () => prompts, project: projectEntry }),
  };
}

function createInitializeReplies(
  plan: Plan,
  { resources, templates, prompts }: Omit<Entries, "tools">,
  encoderOf: EncoderLookup,
): Snapshot["initializeReplies"] {
  const features = {
    tools: plan.tools.length > 0,
    resources: resources.length + templates.length > 0,
    prompts: prompts.length > 0,
    completions: [...prompts, ...templates].some((entry) => Object.keys(entry.complete).length > 0),
    logging: true,
    extensions: Object.fromEntries(plan.extensions.map(({ id, capability }) => [id, capability])),
    experimental: plan.experimental,
  };
  const cache = { ttlMs: plan.listTtlMs, cacheScope: "public" } as const;
  const createReply = (revision: Revision, pushes: boolean) => {
    const encoder = encoderOf(revision);
    const capabilities = serverCapabilities(features, encoder.traits, pushes);
    return new Payload(encoder.initializeResult(capabilities, plan.instructions, cache));
  };
  return {
    stateful: onceByRevision((revision) => createReply(revision, true)),
    stateless: onceByRevision((revision) => createReply(revision, false)),
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
  options: CompileOptions<Entry>,
): readonly Entry[] {
  return drafts.map((draft) => compileDraft(draft, options));
}

function compileDraft<Entry>(draft: Draft<Entry>, { noun, settings, cache }: CompileOptions<Entry>): Entry {
  const known = cache.get(draft);
  if (known?.settings === settings) return known.entry;
  assertName(noun, draft.name);
  const entry = draft.compile(settings);
  cache.set(draft, { settings, entry });
  return entry;
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
