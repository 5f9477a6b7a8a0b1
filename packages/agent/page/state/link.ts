/**
 * @fileoverview Connection to the server, as signals. Changes within a short time are shown together.
 * @module agent/page-app/state/link
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import {
  type AgentClient,
  type AgentClientOptions,
  type AgentState,
  createAgentClient,
  type ServerMessageData,
} from "@tenon/agent/client";
import type { Timer } from "@tenon/ui/support/timer.js";

/** Tokens of the last response of a task. */
export type LastUsage = ServerMessageData["usage"];

/** Usage of one response. */
export interface ResponseUsage extends LastUsage {
  /** Key of the message that was the last one when the usage arrived. */
  readonly key: string | undefined;
}

/** Options of `Link`. */
export interface LinkOptions {
  readonly url: string;
  readonly later: Timer["after"];
  /** Creates the client. @default createAgentClient */
  readonly createClient?: ((options: AgentClientOptions) => AgentClient) | undefined;
  /** Called when a task no longer exists. */
  readonly onRemoved: (taskId: string, reason: ServerMessageData["taskRemoved"]["reason"]) => void;
  /** Receives notices that do not belong to a conversation. */
  readonly onNotice: (notice: {
    readonly tone: "info" | "warning" | "danger";
    readonly text: string;
  }) => void;
}

const EMPTY: AgentState = { connection: "closed", tasks: [], open: new Map() };
/** Messages that arrive within this time are shown together. */
const BATCH_MS = 32;
const MAX_USAGES = 200;

/** Connection to the server. A sign-in starts a new one. */
export class Link {
  readonly #options: LinkOptions;
  readonly #state = signal<AgentState>(EMPTY);
  readonly #usages = signal<ReadonlyMap<string, readonly ResponseUsage[]>>(new Map());
  /** State of the connection, the list, and the open tasks. */
  readonly state: ReadonlySignal<AgentState> = this.#state;
  /** Usage of the responses that have arrived since the page was opened, by task. */
  readonly usages: ReadonlySignal<ReadonlyMap<string, readonly ResponseUsage[]>> = this.#usages;
  #client: AgentClient | undefined;
  #removeListeners: readonly (() => void)[] = [];
  #cancel: (() => void) | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** Client of the current connection. @throws if there is none */
  get client(): AgentClient {
    if (this.#client === undefined) throw new Error("The page is not connected.");
    return this.#client;
  }

  /** Connects to the server. */
  start(token: string | undefined): void {
    this.stop();
    const { url, createClient = createAgentClient } = this.#options;
    const client = createClient({
      url,
      token,
      reconnect: { minDelay: 300, maxDelay: 5_000 },
      // The state shows a lost connection, and the other errors have no remedy.
      onError: () => undefined,
    });
    this.#client = client;
    this.#removeListeners = [
      client.subscribe(() => this.#updateSoon()),
      client.on("usage", (usage) => this.#addUsage(usage)),
      client.on("taskRemoved", ({ taskId, reason }) => this.#options.onRemoved(taskId, reason)),
      client.on("error", ({ taskId, message }) => {
        if (taskId === undefined) this.#options.onNotice({ tone: "danger", text: message });
      }),
      client.on("alert", ({ taskId, message, severity }) => {
        const tone = severity === "error" ? "danger" : severity;
        if (taskId === undefined) this.#options.onNotice({ tone, text: message });
      }),
    ];
    // A rejection means that the client was closed, or that the token is not valid, which the state shows.
    void client.connect().catch(() => undefined);
    this.#update();
  }

  /** Closes the connection, and forgets everything that came from the server. */
  stop(): void {
    for (const remove of this.#removeListeners) remove();
    this.#removeListeners = [];
    this.#cancel?.();
    this.#cancel = undefined;
    this.#client?.close();
    this.#client = undefined;
    this.#state.value = EMPTY;
    this.#usages.value = new Map();
  }

  #updateSoon(): void {
    // A change of the connection decides what the page shows at all, so it is not delayed.
    if (this.#client?.state.connection !== this.#state.peek().connection) this.#update();
    else this.#cancel ??= this.#options.later(BATCH_MS, () => this.#update());
  }

  #update(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#client !== undefined) this.#state.value = this.#client.state;
  }

  #addUsage(usage: LastUsage): void {
    const key = this.#client?.state.open.get(usage.taskId)?.messages.at(-1)?.key;
    const before = this.#usages.peek();
    const list = [...(before.get(usage.taskId) ?? []), { ...usage, key }].slice(-MAX_USAGES);
    this.#usages.value = new Map(before).set(usage.taskId, list);
  }
}
