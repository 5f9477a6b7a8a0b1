/**
 * @fileoverview Contexts of requests whose tasks have not finished. A context is an application object that cannot be
 * stored, so it is kept in the process that received the request.
 * @module tenon/tasks/running/live-contexts
 */
import type { Ports } from "@tenon/internal/ports";
import { type ExpiringEntry, ExpiringMap } from "@tenon/internal/collections/expiring-map";
import type { TaskRecord } from "../state/record.js";

/** Contexts by task ID. The engine limits the number of tasks, and thereby of contexts. */
export class LiveContexts {
  readonly #ports: Pick<Ports, "now">;
  readonly #contexts = new ExpiringMap<Entry>({
    maxEntries: Number.POSITIVE_INFINITY,
    maxBytes: Number.POSITIVE_INFINITY,
    fullError: () => new Error("Too many contexts."),
  });
  #count = 0;

  /** Returns the contexts of an engine's tasks. Servers that share an engine share them too. */
  static of(engine: object, ports: Pick<Ports, "now">): LiveContexts {
    const known = contextsByEngine.get(engine);
    const contexts = known ?? new LiveContexts(ports);
    if (known === undefined) contextsByEngine.set(engine, contexts);
    return contexts;
  }

  constructor(ports: Pick<Ports, "now">) {
    this.#ports = ports;
  }

  /** Keeps a context until it is dropped or the task is deleted. */
  keep({ taskId, deleteAt }: TaskRecord, context: unknown): void {
    const at = deleteAt ?? Number.POSITIVE_INFINITY;
    const entry = { key: taskId, bytes: 0, at, order: this.#count++, place: 0, context };
    this.#contexts.put(entry, this.#ports.now());
  }

  /** Returns the context of a task, wrapped in an object, or `undefined` if this process does not have it. */
  get(taskId: string): { readonly context: unknown } | undefined {
    return this.#contexts.get(taskId, this.#ports.now());
  }

  /** Forgets a context. */
  drop(taskId: string): void {
    this.#contexts.delete(taskId, this.#ports.now());
  }
}

const contextsByEngine = /* @__PURE__ */ new WeakMap<object, LiveContexts>();

interface Entry extends ExpiringEntry {
  readonly context: unknown;
}
