/**
 * @fileoverview This process as one of several nodes: its ID, the sign that it is alive, and messages to other nodes.
 * @module session/shared/cluster-node
 */
import { isJsonObject, readJson } from "@tenon/internal/json";
import type { Ports } from "@tenon/internal/ports";
import type { RecordSealer } from "../../core/wire/cluster-link.js";
import type { SharedStore } from "../../stores/shared-store.js";
import { StoreError } from "../../stores/store-error.js";

/** Message between nodes. */
export interface NodeMessage {
  readonly kind: "end" | "cancel" | "answer" | "taken";
  /** Key of the session. */
  readonly session: string;
  /** ID of the call, the request to the client, or the stream. */
  readonly id: string | number;
}

/** Message with the node that sent it. */
interface SentMessage extends NodeMessage {
  readonly from: string;
}

/** Parts of a node. */
export interface ClusterNodeParts {
  readonly store: SharedStore;
  readonly ports: Ports;
  readonly sealer: RecordSealer;
  /** Name of the server. Servers with different names can use the same store. */
  readonly server: string;
  /** Logs a failure that no client receives. */
  readonly report: (error: unknown) => void;
}

/** One of several nodes that serve the same server. */
export class ClusterNode {
  /** Random ID of this process, without characters that event IDs use as separators. */
  readonly id: string;
  readonly store: SharedStore;
  readonly ports: Ports;
  readonly sealer: RecordSealer;
  readonly server: string;
  readonly #report: (error: unknown) => void;
  readonly #alive = new Map<string, { readonly isAlive: boolean; readonly at: number }>();
  readonly #beats: (() => void)[] = [];
  readonly #unsubscribe: (() => Promise<void>)[] = [];
  #count = 0;
  #lastReport = -Infinity;
  /** Time since which the store has accepted this node's signs of life without delay. */
  #steadySince = Infinity;
  #beatAt = -Infinity;
  #stopTimer: (() => void) | undefined;
  #isStopped = false;

  constructor({ store, ports, sealer, server, report }: ClusterNodeParts) {
    this.id = [...ports.randomBytes(8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    this.store = store;
    this.ports = ports;
    this.sealer = sealer;
    this.server = server;
    this.#report = report;
  }

  /** Starts to receive messages, and to show that the node is alive. */
  start(onMessage: (message: NodeMessage) => void, onGap: () => void): void {
    const receive = (text: string) => {
      const message = parseMessage(text);
      if (message !== undefined && message.from !== this.id) onMessage(message);
    };
    for (const channel of [this.#broadcast, inboxOf(this.id)]) this.subscribe(channel, receive, onGap);
    this.#beat();
  }

  /** Runs a function about once per second, while the node is running. */
  onBeat(task: () => void): void {
    this.#beats.push(task);
  }

  /** Subscribes to a channel until the node stops. Tries again until it succeeds. */
  subscribe(channel: string, listener: (text: string) => void, onGap: () => void): void {
    const attempt = async () => {
      const stop = await this.store.bus.subscribe(channel, listener, { onGap });
      if (this.#isStopped) await stop();
      else this.#unsubscribe.push(stop);
    };
    this.retry(attempt, Number.POSITIVE_INFINITY).catch((error: unknown) => this.report(error));
  }

  /** Creates an ID that is unique among all nodes. It starts with the ID of this node. */
  nextId(): string {
    return `${this.id}-${(++this.#count).toString(36)}`;
  }

  /** Sends a message to all other nodes, or to one of them. */
  async send(message: NodeMessage, nodeId?: string): Promise<void> {
    const sent: SentMessage = { ...message, from: this.id };
    const channel = nodeId === undefined ? this.#broadcast : inboxOf(nodeId);
    await this.store.bus.publish(channel, JSON.stringify(sent));
  }

  /**
   * Returns false if a node has stopped or was lost. Remembers the outcome for a moment. After a failure of the store
   * or a pause of this process, which may have affected all nodes, they get time to show that they are alive.
   */
  async isAlive(nodeId: string): Promise<boolean> {
    if (nodeId === this.id) return true;
    const now = this.ports.now();
    const known = this.#alive.get(nodeId);
    if (known !== undefined && now - known.at < BEAT_MS / 2) return known.isAlive;
    const hasSign = (await this.store.values.get(signOf(nodeId))) !== undefined;
    const isSteady = now - this.#beatAt <= MAX_PAUSE_MS && now - this.#steadySince >= LIFE_MS;
    const isAlive = hasSign || !isSteady;
    if (this.#alive.size >= MAX_KNOWN_NODES) this.#alive.clear();
    this.#alive.set(nodeId, { isAlive, at: now });
    return isAlive;
  }

  /**
   * Repeats an idempotent operation while the store fails, with growing delays.
   *
   * @throws the last error after `patienceMs`, or at once if the store rejects the data
   */
  async retry<T>(work: () => Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
    const deadline = this.ports.now() + patienceMs;
    for (let delay = FIRST_DELAY_MS; ; delay = Math.min(2 * delay, MAX_DELAY_MS)) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof StoreError || this.#isStopped || this.ports.now() + delay > deadline)
          throw error;
        this.report(error);
      }
      await new Promise<void>((resolve) => this.ports.startTimer(resolve, delay, true));
    }
  }

  /** Logs a failure of the store, at most once every few seconds. */
  report(error: unknown): void {
    const now = this.ports.now();
    if (now - this.#lastReport < REPORT_MS) return;
    this.#lastReport = now;
    this.#report(error);
  }

  /** Stops receiving messages. Other nodes see at once that this node no longer runs its calls. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#stopTimer?.();
    const ends = this.#unsubscribe.splice(0).map((unsubscribe) => unsubscribe());
    await Promise.allSettled([...ends, this.store.values.delete(signOf(this.id))]);
  }

  get #broadcast(): string {
    return `nodes/${this.server}`;
  }

  #beat(): void {
    if (this.#isStopped) return;
    this.#stopTimer = this.ports.startTimer(() => this.#beat(), BEAT_MS, true);
    const sentAt = this.ports.now();
    if (sentAt - this.#beatAt > MAX_PAUSE_MS) this.#steadySince = Infinity;
    this.#beatAt = sentAt;
    this.store.values.set(signOf(this.id), "alive", { ttlMs: LIFE_MS }).then(
      () => {
        const now = this.ports.now();
        const isLate = now - sentAt > BEAT_MS || this.#steadySince === Infinity;
        if (isLate) this.#steadySince = now;
      },
      (error: unknown) => {
        this.#steadySince = Infinity;
        this.report(error);
      },
    );
    for (const task of this.#beats) task();
  }
}

/** Interval between two signs of life, and the time after which a silent node counts as lost, in milliseconds. */
const BEAT_MS = 1_000;
const LIFE_MS = 3_500;

/** Maximum time in milliseconds between two signs of life of a process that was not paused. */
const MAX_PAUSE_MS = 2 * BEAT_MS;

/** Time in milliseconds for which a failed operation is repeated, and the delays in between. */
const PATIENCE_MS = 30_000;
const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 500;

/** Minimum time in milliseconds between two log entries about the store. */
const REPORT_MS = 5_000;

const MAX_KNOWN_NODES = 1_000;

function inboxOf(nodeId: string): string {
  return `node/${nodeId}`;
}

function signOf(nodeId: string): string {
  return `alive/${nodeId}`;
}

function parseMessage(text: string): SentMessage | undefined {
  const value = text.length > MAX_MESSAGE ? undefined : readJson(text);
  if (!isJsonObject(value)) return undefined;
  const { kind, session, id, from } = value;
  const isValid =
    (kind === "end" || kind === "cancel" || kind === "answer" || kind === "taken") &&
    typeof session === "string" &&
    typeof from === "string" &&
    (typeof id === "string" || typeof id === "number");
  return isValid ? { kind, session, id, from } : undefined;
}

/** Maximum length of a message in characters. IDs of calls come from clients. */
const MAX_MESSAGE = 65_536;
