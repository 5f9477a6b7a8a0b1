/**
 * @fileoverview Lists of the server on this node, compared with those of other nodes. During a rolling deploy, the nodes
 * have different lists, and only those with the newest ones announce them.
 * @module tenon/session/shared/node-lists
 */
import { isJsonObject } from "@tenon/internal/json";
import type { Ports } from "@tenon/internal/ports";
import type { ListDigests } from "../../core/wire/connection.js";

/** Lists of one node, as the other nodes see them. */
export interface ListsSign {
  /** Equal on nodes with the same lists. */
  readonly digest: string;
  /** Time in milliseconds for which the node has had these lists. Unlike a date, it does not depend on a clock. */
  readonly ageMs: number;
}

/** Lists of the server on this node. */
export class NodeLists {
  readonly #ports: Pick<Ports, "now">;
  readonly #read: () => ListDigests;
  /** Times at which lists have changed while the node was running, by method. */
  readonly #changedAt = new Map<string, number>();
  /** Lists of other nodes, by node. */
  readonly #others = new Map<string, OtherLists>();
  #known: ListDigests;
  #since: number;

  /** @param read returns the fingerprints of the server's lists */
  constructor(ports: Pick<Ports, "now">, read: () => ListDigests) {
    this.#ports = ports;
    this.#read = read;
    this.#known = read();
    this.#since = ports.now();
  }

  /** Fingerprints of the lists on this node. */
  get digests(): ListDigests {
    const digests = this.#read();
    for (const method of Object.keys(digests)) {
      if (digests[method] === this.#known[method]) continue;
      this.#since = this.#ports.now();
      this.#changedAt.set(method, this.#since);
    }
    this.#known = digests;
    return digests;
  }

  /** Lists of this node, for the other nodes. */
  get sign(): ListsSign {
    const digest = Object.values(this.digests).join(" ");
    return { digest, ageMs: this.#ports.now() - this.#since };
  }

  /** True if another running node has different lists, and has them for a shorter time. */
  get isOutdated(): boolean {
    const own = this.sign.digest;
    const isNewer = ({ digest, since, heardAt }: OtherLists) =>
      digest !== own && since > this.#since + MIN_DISTANCE_MS && this.#ports.now() - heardAt < LIFE_MS;
    return [...this.#others.values()].some(isNewer);
  }

  /** Returns true for a list that has changed a moment ago. The log of changes announces it. */
  isAnnounced(method: string): boolean {
    return this.#ports.now() - (this.#changedAt.get(method) ?? -Infinity) < ANNOUNCED_MS;
  }

  /** Takes the lists of another node. */
  hear(nodeId: string, { digest, ageMs }: ListsSign): void {
    if (this.#others.size >= MAX_NODES) this.#others.clear();
    const heardAt = this.#ports.now();
    this.#others.set(nodeId, { digest, since: heardAt - ageMs, heardAt });
  }
}

interface OtherLists {
  readonly digest: string;
  readonly since: number;
  readonly heardAt: number;
}

/** Parses the lists in a message. Nodes with an earlier version do not send any. */
export function parseSign(value: unknown): ListsSign | undefined {
  if (!isJsonObject(value)) return undefined;
  const { digest, ageMs } = value;
  return typeof digest === "string" && typeof ageMs === "number" ? { digest, ageMs } : undefined;
}

/** Minimum time in milliseconds between the starts of two nodes of which one counts as newer. */
const MIN_DISTANCE_MS = 2_000;

/** Time in milliseconds after which a silent node has stopped or was lost. Running nodes send a message every second. */
const LIFE_MS = 5_000;

const MAX_NODES = 1_000;

/** Time in milliseconds that the log of changes needs at most to announce a list, if the store works. */
const ANNOUNCED_MS = 10_000;
