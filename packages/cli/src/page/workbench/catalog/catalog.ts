/**
 * @fileoverview The server's definitions: lists them, lists them again when they change, and adds their costs and
 * findings afterwards.
 * @module cli/page/workbench/catalog/catalog
 */
import { setTimeout as wait } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { type ListedEntries, mapLists } from "../../../client/list-feature.js";
import { compareLists } from "../../../dev/lists/list-changes.js";
import type { Capture } from "../../../doctor/facts/capture.js";
import { readCapture } from "../../../doctor/facts/read-capture.js";
import { loadTokenizer, type Tokenizer } from "../../../tokens/tokenizer.js";
import type { Sent } from "../../feed/log-feed.js";
import type { ListChange, ServerState } from "../../protocol.js";
import type { CallContext } from "../connections/call-context.js";
import type { EraClient } from "../connections/connections.js";
import type { ToolView } from "../inspected-server.js";
import type { Costs } from "./count-tokens.js";
import type { Diagnosis } from "./diagnose.js";
import { AS_LISTED_VIEW, toView } from "./views.js";

/** Settings for `Catalog`. */
export interface CatalogSettings {
  readonly context: CallContext;
  readonly onState: (server: ServerState) => void;
  /** Called if the definitions cannot be listed. */
  readonly onFailure: (client: EraClient, error: unknown) => void;
  /** Reads further views of the tools. */
  readonly readViews: (() => Promise<readonly ToolView[]>) | undefined;
  /** False to leave out the tokens. */
  readonly countsTokens: boolean;
}

/** Time in milliseconds in which several changes lead to one update. */
const SETTLE_MS = 50;
/** Shortest time between two updates in milliseconds. A server may report changes all the time. */
const MIN_INTERVAL_MS = 1_000;

/** Definitions of the inspected server. */
export class Catalog {
  readonly #settings: CatalogSettings;
  #client: EraClient | undefined;
  #capture: Capture | undefined;
  #changes: readonly ListChange[] = [];
  #analysis = new AbortController();
  #tokenizer: Promise<Tokenizer> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #isStale = false;
  /** Time of the last update. */
  #readAt = 0;

  constructor(settings: CatalogSettings) {
    this.#settings = settings;
  }

  /** Name and version of the server. */
  get server(): { readonly name: string; readonly version: string } {
    const { name, version } = this.#capture?.server ?? {};
    return { name: textOf(name) ?? "", version: textOf(version) ?? "" };
  }

  /** Returns the definition of a tool. */
  findTool(name: string): JsonObject | undefined {
    return this.#capture?.lists.tools.items.find((tool) => tool["name"] === name);
  }

  /** Lists the definitions with a client from now on. */
  use(client: EraClient): void {
    this.#client = client;
    void this.refresh();
  }

  /** Lists the definitions again soon. */
  onChanged(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.refresh();
    }, this.#restMs()).unref();
  }

  /** Lists the definitions. A change in the meantime leads to one more update. Never rejects. */
  refresh(): Promise<void> {
    if (this.#reading !== undefined) {
      this.#isStale = true;
      return this.#reading;
    }
    this.#reading = this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Stops all work. */
  close(): void {
    clearTimeout(this.#timer);
    this.#client = undefined;
    this.#analysis.abort();
  }

  async #readAll(): Promise<void> {
    do {
      this.#isStale = false;
      const client = this.#client;
      if (client === undefined) return;
      try {
        await this.#read(client);
      } catch (error) {
        this.#settings.onFailure(client, error);
        return;
      }
      this.#readAt = Date.now();
      // Another client is used at once.
      if (this.#isStale && client === this.#client) await wait(this.#restMs(), undefined, { ref: false });
    } while (this.#isStale);
  }

  /** Returns the time in milliseconds until the next update. */
  #restMs(): number {
    return Math.min(Math.max(SETTLE_MS, this.#readAt + MIN_INTERVAL_MS - Date.now()), MIN_INTERVAL_MS);
  }

  async #read({ client }: EraClient): Promise<void> {
    const { context } = this.#settings;
    const capture = await context.outside(() => readCapture(client));
    // The client repeats some arguments in headers, which it knows only for tools that it has listed itself.
    if (JSON.stringify(capture.lists.tools.items).includes('"x-mcp-header"'))
      await context.outside(() => client.listTools());
    const before = this.#capture;
    this.#capture = capture;
    const { definitions } = compareLists(before === undefined ? {} : itemsOf(before), itemsOf(capture));
    if (before !== undefined && definitions.length > 0) this.#changes = definitions;
    this.#analysis.abort();
    this.#analysis = new AbortController();
    this.#publish(capture, {});
    void this.#analyze(capture, this.#analysis.signal).catch(() => undefined);
  }

  /** Adds findings and costs. Each part is published when it is ready. */
  async #analyze(capture: Capture, signal: AbortSignal): Promise<void> {
    const { readViews, countsTokens } = this.#settings;
    // The rules and the tokenizer take a moment to load.
    const { diagnose } = await import("./diagnose.js");
    const diagnosis = await diagnose(capture, signal);
    this.#publish(capture, { diagnosis });
    if (!countsTokens) return;
    const views = (await readViews?.().catch(() => [])) ?? [];
    signal.throwIfAborted();
    const { instructions, lists } = capture;
    const { countTokens } = await import("./count-tokens.js");
    this.#tokenizer ??= loadTokenizer();
    const tokenizer = await this.#tokenizer;
    const costs = await countTokens({ tools: lists.tools.items, instructions, views }, tokenizer, signal);
    this.#publish(capture, { diagnosis, costs });
  }

  #publish(capture: Capture, analysis: Analysis): void {
    this.#settings.onState({ ...toServerState(capture, analysis), changes: this.#changes });
  }
}

interface Analysis {
  readonly diagnosis?: Diagnosis;
  readonly costs?: Costs;
}

function toServerState(capture: Capture, { diagnosis, costs }: Analysis): Omit<ServerState, "changes"> {
  const { server, instructions, capabilities } = capture;
  const { tools, ...others } = itemsOf(capture);
  return {
    name: textOf(server["name"]) ?? "",
    title: textOf(server["title"]),
    version: textOf(server["version"]) ?? "",
    instructions,
    capabilities,
    tools: tools.map((definition, index) => ({
      definition,
      tokens: costs?.tools[index],
      findings: diagnosis?.byTool.get(index) ?? [],
    })),
    ...others,
    views: costs?.views ?? [toView(AS_LISTED_VIEW, tools, {})],
    findings: diagnosis?.others ?? [],
  };
}

function itemsOf({ lists }: Capture): ListedEntries {
  return mapLists((list) => lists[list].items);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns true for a notification that a list has changed. */
export function isListChange({ method }: Sent): boolean {
  return /^notifications\/(?:tools|resources|prompts)\/list_changed$/.test(method);
}

/** Returns the URI in a notification that a resource has changed. */
export function updatedUri({ method, params }: Sent): string | undefined {
  const uri = isJsonObject(params) ? params["uri"] : undefined;
  return method === "notifications/resources/updated" ? textOf(uri) : undefined;
}
