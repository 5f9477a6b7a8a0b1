/**
 * @fileoverview Facts about a server that the rules check: its definitions with their places, and everything that was
 * read about its lists, calls, and handlers.
 * @module cli/doctor/facts/facts
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { type Revision, REVISIONS, TRAITS } from "tenon/protocol";
import { type ListName, LISTS } from "../../client/list-feature.js";
import type { Capture, CapturedList, ToolSettings } from "./capture.js";
import { placeOf } from "./place.js";
import { listNodes, type SchemaNode } from "./schema-nodes.js";
import { splitNodes } from "./used-nodes.js";

/** Facts about a server. */
export interface Facts {
  /** Name and version of the server. */
  readonly server: JsonObject;
  readonly instructions: string | undefined;
  /** True if the protocol revision allows output of any JSON type, not only objects. */
  readonly allowsAnyOutput: boolean;
  /** True if the protocol revision has annotations of tools. */
  readonly allowsAnnotations: boolean;
  readonly tools: readonly ToolFact[];
  readonly resources: readonly EntryFact[];
  readonly templates: readonly EntryFact[];
  readonly prompts: readonly EntryFact[];
  readonly lists: Readonly<Record<ListName, CapturedList>>;
  /** Results of calls. Undefined if no tool was called. */
  readonly calls: readonly CallFact[] | undefined;
  /** Settings of handlers. Undefined if they cannot be read. */
  readonly settings: readonly ToolSettings[] | undefined;
  /** False if schemas were left out because there are too many. */
  readonly isComplete: boolean;
}

/** Entry of a list. */
export interface EntryFact {
  /** The entry's name. Empty if it does not have one. */
  readonly name: string;
  readonly place: string;
  readonly raw: JsonObject;
  readonly description: string | undefined;
}

/** Tool and the schemas inside its definition. */
export interface ToolFact extends EntryFact {
  readonly input: JsonObject | undefined;
  readonly output: JsonObject | undefined;
  /** Schemas in the input schema, without definitions to which nothing refers. */
  readonly inputNodes: readonly SchemaNode[];
  /** Schemas in the output schema, without definitions to which nothing refers. */
  readonly outputNodes: readonly SchemaNode[];
  /** Schemas in definitions to which nothing refers. */
  readonly unusedNodes: readonly SchemaNode[];
  readonly annotations: JsonObject;
}

/** Result of a call, and the tool's definition, if it is in the list. */
export interface CallFact {
  readonly name: string;
  readonly place: string;
  readonly tool: ToolFact | undefined;
  readonly result: JsonObject;
}

/** Prepares a capture for the rules. */
export function toFacts(capture: Capture): Facts {
  const { server, revision, lists, settings } = capture;
  const budget = { nodes: MAX_NODES };
  const entries = (list: ListName) => toEntries(list, lists[list].items, LISTS[list].key);
  const tools = entries("tools").map((entry) => toTool(entry, budget));
  const known = REVISIONS.find((one): one is Revision => one === revision);
  const toolsByName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    server,
    instructions: capture.instructions,
    allowsAnyOutput: known !== undefined && TRAITS[known].anyOutputType,
    allowsAnnotations: known === undefined || TRAITS[known].toolAnnotations,
    tools,
    resources: entries("resources"),
    templates: entries("resourceTemplates"),
    prompts: entries("prompts"),
    lists,
    calls: capture.calls?.map(({ tool, result }) => ({
      name: tool,
      place: placeOf("calls", tool),
      tool: toolsByName.get(tool),
      result,
    })),
    settings,
    isComplete: budget.nodes > 0,
  };
}

/** Maximum number of schemas in one definition, and in all of them. */
const MAX_TOOL_NODES = 20_000;
const MAX_NODES = 200_000;

/** Names the entries of a list. An entry without a name, or with one that was used before, has its index instead. */
function toEntries(list: string, items: readonly JsonObject[], key: string): readonly EntryFact[] {
  const used = new Set<string>();
  return items.map((raw, index) => {
    const name = typeof raw[key] === "string" ? raw[key] : "";
    const isNew = name !== "" && !used.has(name);
    used.add(name);
    const { description } = raw;
    return {
      name,
      place: placeOf(list, isNew ? name : index),
      raw,
      description: typeof description === "string" ? description : undefined,
    };
  });
}

function toTool(entry: EntryFact, budget: { nodes: number }): ToolFact {
  const { raw, place } = entry;
  const take = (key: "inputSchema" | "outputSchema") => {
    const schema = raw[key];
    if (!isJsonObject(schema)) return { schema: undefined, used: [], unused: [] };
    const root = placeOf(place, key);
    const nodes = listNodes(schema, root, Math.min(MAX_TOOL_NODES, budget.nodes));
    budget.nodes -= nodes.length;
    return { schema, ...splitNodes(nodes, root) };
  };
  const input = take("inputSchema");
  const output = take("outputSchema");
  return {
    ...entry,
    input: input.schema,
    output: output.schema,
    inputNodes: input.used,
    outputNodes: output.used,
    unusedNodes: [...input.unused, ...output.unused],
    annotations: isJsonObject(raw["annotations"]) ? raw["annotations"] : {},
  };
}
