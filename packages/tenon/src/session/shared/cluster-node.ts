/**
 * @fileoverview This process as one of several nodes: its ID, the sign that it is alive, and messages to other nodes.
 * @module tenon/session/shared/cluster-node
 */
import { isJsonObject, readJson } from "@tenon/internal/json";
import type { Ports } from "@tenon/internal/ports";
import type { RecordSealer } from "../../core/wire/cluster-link.js";
import type { SharedStore } from "../../stores/shared-store.js";
import { StoreError } from "../../stores/store-error.js";
import { NodeReports, type ReportParts } from "./node-reports.js";
import { type ListsSign, type NodeLists, parseSign } from "./node-lists.js";

/** Message between nodes. */
export interface NodeMessage {
  readonly kind: "end" | "cancel" | "answer" | "taken" | "alive" | "left";
  /** Key of the session, or nothing. */
  readonly session: string;
  /** ID of the call, the request to the client, or the stream. */
  readonly id: string | number;
  /** Lists of the node that is alive. */
  readonly lists?: ListsSign;
}

/** Message with the node that sent it. */
interface SentMessage extends NodeMessage {
  readonly from: string;
}

/** Parts of a node. */
export interface ClusterNodeParts extends ReportParts {
  readonly store: SharedStore;
  readonly ports: Ports;
  readonly sealer: RecordSealer;
  /** Name of the server. Servers with different names can use the same store. */
  readonly server: string;
  readonly lists: NodeLists;
}

/** One of several nodes that serve the same server. */
export class ClusterNode {
  /** Random ID of this process, without characters that event IDs use as separators. */
  readonly id: string;
  readonly store: SharedStore;
  readonly ports: Ports;
  readonly sealer: RecordSealer;
  readonly server: string;
  readonly lists: NodeLists;
  readonly #reports: NodeReports;
  readonly #warn: ClusterNodeParts["warn"];
  /** Time of the last message from each other node. */
  readonly #heard = new Map<string, number>();
  readonly #alive = new Map<string, { readonly isAlive: boolean; readonly at: number }>();
  readonly #beats: (() => void)[] = [];
  readonly #unsubscribe: (() => Promise<void>)[] = [];
  /** Functions that end the delays between attempts. */
  readonly #pauses = new Set<() => void>();
  #count = 0;
  /** Time since which the store has accepted this node's signs of life without delay. */
  #steadySince = Infinity;
  #beatAt = -Infinity;
  #stopTimer: (() => void) | undefined;
  #isStopped = false;

  constructor({ store, ports, sealer, server, lists, report, warn }: ClusterNodeParts) {
    this.id = [...ports.randomBytes(8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    this.store = store;
    this.ports = ports;
    this.sealer = sealer;
    this.server = server;
    this.lists = lists;
    this.#reports = new NodeReports({ ports, report, warn });
    this.#warn = warn;
  }

  /** Starts to receive messages, and to show that the node is alive. */
  start(onMessage: (message: SessionMessage) => void, onGap: () => void): void {
    const receive = (text: string) => {
      const message = parseMessage(text);
      if (message === undefined || message.from === this.id) return;
      const { kind } = message;
      this.#hear(message);
      if (kind !== "alive" && kind !== "left") onMessage({ ...message, kind });
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
   * @throws the last error after `patienceMs` or when the node stops, or at once if the store rejects the data
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
      let resume: () => void = () => undefined;
      await new Promise<void>((resolve) => {
        this.#pauses.add((resume = resolve));
        this.ports.startTimer(resolve, delay, true);
      });
      this.#pauses.delete(resume);
    }
  }

  /** Logs a failure of the store, and the next one only after the store has worked again. */
  report(error: unknown): void {
    this.#reports.failure(error);
  }

  /** Logs a problem that is not a failure of the store. Returns false if another one was logged a moment ago. */
  reportProblem(error: unknown): boolean {
    return this.#reports.problem(error);
  }

  /** Logs once that another version has written records that this one cannot read. */
  reportNewer(problem: string): void {
    this.#reports.newer(problem);
  }

  /** Stops receiving messages. Other nodes see at once that this node no longer runs its calls. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#stopTimer?.();
    for (const resume of this.#pauses) resume();
    const ends = this.#unsubscribe.splice(0).map((unsubscribe) => unsubscribe());
    const left = this.send({ kind: "left", session: "", id: "" });
    await Promise.allSettled([...ends, left, this.store.values.delete(signOf(this.id))]);
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
        this.#reports.restored();
      },
      (error: unknown) => {
        this.#steadySince = Infinity;
        this.#reports.failure(error, true);
      },
    );
    const { sign: lists } = this.lists;
    this.send({ kind: "alive", session: "", id: "", lists }).catch((error: unknown) => this.report(error));
    this.#findLost();
    for (const task of this.#beats) task();
  }

  #hear({ kind, from, lists }: SentMessage): void {
    if (lists !== undefined) this.lists.hear(from, lists);
    if (kind === "left") this.#heard.delete(from);
    else if (this.#heard.size < MAX_KNOWN_NODES || this.#heard.has(from))
      this.#heard.set(from, this.ports.now());
  }

  /** Logs the nodes that have not been heard of for some time, and show no sign of life in the store. */
  #findLost(): void {
    const now = this.ports.now();
    for (const [nodeId, heardAt] of this.#heard) {
      if (now - heardAt < LIFE_MS) continue;
      const check = async () => {
        if ((await this.isAlive(nodeId)) || !this.#heard.delete(nodeId)) return;
        const seconds = Math.round((this.ports.now() - heardAt) / 1_000);
        const sentence = `Node ${nodeId} of server "${this.server}" was lost: no sign of life for ${seconds} s.`;
        this.#warn("node-lost", `${sentence} Clients resume its streams on other nodes.`);
      };
      check().catch((error: unknown) => this.report(error));
    }
  }
}

/** Message about a session. */
export type SessionMessage = NodeMessage & { readonly kind: Exclude<NodeMessage["kind"], "alive" | "left"> };

/** Interval between two signs of life, and the time after which a silent node counts as lost, in milliseconds. */
const BEAT_MS = 1_000;
const LIFE_MS = 3_500;

/** Maximum time in milliseconds between two signs of life of a process that was not paused. */
const MAX_PAUSE_MS = 2 * BEAT_MS;

/** Time in milliseconds for which a failed operation is repeated, and the delays in between. */
const PATIENCE_MS = 30_000;
const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 500;

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
    isKind(kind) &&
    typeof session === "string" &&
    typeof from === "string" &&
    (typeof id === "string" || typeof id === "number");
  const lists = parseSign(value["lists"]);
  return isValid ? { kind, session, id, from, ...(lists && { lists }) } : undefined;
}

function isKind(kind: unknown): kind is NodeMessage["kind"] {
  return typeof kind === "string" && KINDS.has(kind);
}

const KINDS: ReadonlySet<string> = new Set<NodeMessage["kind"]>([
  "end",
  "cancel",
  "answer",
  "taken",
  "alive",
  "left",
]);

/** Maximum length of a message in characters. IDs of calls come from clients. */
const MAX_MESSAGE = 65_536;
