/**
 * @fileoverview Changes of this node that wait for the store. They are stored one after the other, so that other nodes see
 * them in order.
 * @module tenon/session/shared/change-queue
 */
import { oneLine, quoted } from "@tenon/internal/text";
import { type Change, NotStoredError } from "../../core/wire/changes.js";
import type { ClusterNode } from "./cluster-node.js";

/** Changes of this node that wait for the store. */
export class ChangeQueue {
  readonly #node: ClusterNode;
  readonly #store: (id: string, change: Change) => Promise<void>;
  readonly #waiting = new Map<string, Change>();
  #work: Promise<void> = Promise.resolve();
  /** Number of waiting changes whose callers do not wait any more. */
  #late = 0;
  /** Names of lost changes that are not logged yet, and the number of these changes. */
  readonly #lostNames = new Set<string>();
  #lost = 0;
  #isStopping = false;

  /** @param store stores a change. It can be called again with the same ID after a failure. */
  constructor(node: ClusterNode, store: (id: string, change: Change) => Promise<void>) {
    this.#node = node;
    this.#store = store;
    node.onBeat(() => this.#logLost());
  }

  /**
   * Stores a change. The promise rejects after a few seconds without success, or at once if an earlier change has waited
   * that long. The change stays in the queue, and is stored if the store works again soon.
   */
  add(change: Change): Promise<void> {
    if (this.#waiting.size >= MAX_WAITING) {
      this.#lose([change], QUEUE_FULL);
      return Promise.reject(new NotStoredError(`${nameOf(change)} is lost. ${QUEUE_FULL}`));
    }
    const { ports } = this.#node;
    const id = this.#node.nextId();
    const deadline = ports.now() + PATIENCE_MS;
    this.#waiting.set(id, change);
    const attempt = () => this.#node.retry(() => this.#store(id, change), deadline - ports.now());
    const stored = this.#work.then(attempt);
    this.#work = stored.then(
      () => void this.#waiting.delete(id),
      (error: unknown) => {
        if (this.#waiting.delete(id)) this.#lose([change], error);
      },
    );
    return this.#inTime(stored, change);
  }

  /** Waits until the last attempts are over. Then logs all lost changes in one line. */
  async stop(patience: Promise<void>): Promise<void> {
    this.#isStopping = true;
    await Promise.race([this.#work, patience]);
    this.#isStopping = false;
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#lose(lost, "The node has stopped.");
  }

  #inTime(stored: Promise<void>, change: Change): Promise<void> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      const giveUp = () => {
        isLate = true;
        this.#late++;
        const patience = `The store fails. Tenon tries again for ${PATIENCE_MS / 1_000} seconds.`;
        reject(new NotStoredError(`${nameOf(change)} is not stored yet. ${patience}`));
      };
      const stopTimer = this.#late > 0 ? giveUp() : this.#node.ports.startTimer(giveUp, MAX_WAIT_MS, true);
      const settle = () => {
        stopTimer?.();
        if (isLate) this.#late--;
      };
      stored.finally(settle).then(resolve, (cause: unknown) => {
        reject(new NotStoredError(`${nameOf(change)} is lost.`, cause));
      });
    });
  }

  #lose(changes: Iterable<Change>, reason: unknown): void {
    for (const change of changes) {
      this.#lost++;
      if (this.#lostNames.size < MAX_NAMES) this.#lostNames.add(nameOf(change));
    }
    this.#logLost(reason);
  }

  /** Logs all lost changes in one line. If another problem was logged a moment ago, the next beat does it. */
  #logLost(reason?: unknown): void {
    if (this.#lost === 0 || this.#isStopping) return;
    const names = [...this.#lostNames].join(", ");
    const sentence = `Changes were not stored, so clients miss them (${this.#lost}): ${names}.`;
    const error = new Error(sentence, reason === undefined ? undefined : { cause: reason });
    if (!this.#node.reportProblem(error)) return;
    this.#lost = 0;
    this.#lostNames.clear();
  }
}

/** Returns the name of a change for messages. */
function nameOf(change: Change): string {
  return change.kind === "resource"
    ? `The update of "${oneLine(quoted(change.uri))}"`
    : `The change of the list "${change.kind}"`;
}

/** Time in milliseconds for which callers wait for the store, and for which a change is tried. */
const MAX_WAIT_MS = 4_000;
const PATIENCE_MS = 30_000;

/** Maximum number of changes that wait for the store. */
const MAX_WAITING = 10_000;
const QUEUE_FULL = `Too many changes wait for the store (limit: ${MAX_WAITING}).`;

/** Maximum number of names in one line of the log. */
const MAX_NAMES = 20;
