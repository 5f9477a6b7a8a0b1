/**
 * @fileoverview Steady requests to all nodes.
 * @module tools/chaos/scenarios/traffic
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { ChaosNode } from "../node-group.js";
import type { Response } from "../http.js";

/** Request of one kind. */
export interface Probe {
  readonly name: string;
  /** False for requests that must succeed while Redis is away. */
  readonly needsStore: boolean;
  readonly send: (node: ChaosNode) => Promise<Response>;
}

/** Outcomes of the requests so far. */
export interface Tally {
  requests: number;
  failures: number;
  /** Requests without a response. */
  hung: number;
  slowestMs: number;
  failedWithoutStore: number;
  /** Reasons of failures that must not happen. */
  readonly reasons: Set<string>;
}

/** Sends requests of all kinds to all nodes until it is stopped. */
export class Traffic {
  readonly tally: Tally = {
    requests: 0,
    failures: 0,
    hung: 0,
    slowestMs: 0,
    failedWithoutStore: 0,
    reasons: new Set(),
  };
  readonly #inFlight = new Set<Promise<void>>();
  readonly #loops: readonly Promise<void>[];
  #isStopped = false;

  constructor(nodes: readonly ChaosNode[], probes: readonly Probe[]) {
    this.#loops = nodes.flatMap((node) => probes.map((probe) => this.#run(node, probe)));
  }

  /** Stops, and waits for the responses. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#loops);
    await Promise.all(this.#inFlight);
  }

  async #run(node: ChaosNode, probe: Probe): Promise<void> {
    while (!this.#isStopped) {
      await sleep(EVERY_MS);
      if (this.#inFlight.size >= MAX_IN_FLIGHT) continue;
      const sending = this.#send(node, probe);
      this.#inFlight.add(sending);
      void sending.finally(() => this.#inFlight.delete(sending));
    }
  }

  async #send(node: ChaosNode, { needsStore, send }: Probe): Promise<void> {
    const { result, isHung, ms, status, error } = await send(node);
    this.tally.requests++;
    this.tally.slowestMs = Math.max(this.tally.slowestMs, ms);
    if (isHung) this.tally.hung++;
    if (result !== undefined) return;
    this.tally.failures++;
    if (needsStore) return;
    this.tally.failedWithoutStore++;
    this.tally.reasons.add(`${status} ${error?.message ?? ""}`);
  }
}

/** Interval in milliseconds between two requests of one kind to one node. */
const EVERY_MS = 50;
const MAX_IN_FLIGHT = 600;
