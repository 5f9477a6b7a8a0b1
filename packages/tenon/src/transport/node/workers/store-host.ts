/**
 * @fileoverview Serves a store of this process to other processes. When a process ends, its subscriptions, watchers,
 * and workers are removed.
 * @module tenon/transport/node/workers/store-host
 */
import { toBase64Url } from "@tenon/internal/base64";
import type { KeyValueStore, RateLimitRule, SessionRecords } from "../../../stores/ports.js";
import type { SharedStore } from "../../../stores/shared-store.js";
import {
  type Args,
  readLimits,
  readNumber,
  readOptionalNumber,
  readOptionalText,
  readRecord,
  readText,
} from "./read-arguments.js";
import type { RpcChannel, RpcHandler } from "./rpc-channel.js";
import { TaskDispatcher } from "./task-dispatcher.js";

type Handlers = Readonly<Record<string, RpcHandler>>;

/** Store that this process serves to others. */
export class StoreHost {
  readonly #store: SharedStore;
  readonly #maxProcesses: number;
  /** Tasks by the name of their server. */
  readonly #tasks = new Map<string, TaskDispatcher>();

  /** @param maxProcesses maximum number of processes that run tasks at the same time */
  constructor(store: SharedStore, maxProcesses: number) {
    this.#store = store;
    this.#maxProcesses = maxProcesses;
  }

  /** Serves the store on a channel until the channel closes. */
  serve(channel: RpcChannel): void {
    const store = this.#store;
    channel.handle({
      ...sessionHandlers(store.sessions),
      ...keyValueHandlers("values", store.values),
      ...eventHandlers(store),
      ...rateLimitHandlers(store),
      ...busHandlers(store, channel),
      ...this.#taskHandlers(channel),
      secrets: async () => (await store.secrets()).map(toBase64Url),
      ping: () => store.ping(),
      countTasks: () => store.countTasks?.() ?? null,
    });
  }

  /** Stops running tasks. */
  async close(): Promise<void> {
    await Promise.all([...this.#tasks.values()].map((tasks) => tasks.close()));
  }

  /** Returns the tasks of a server. @throws {RangeError} if no process has opened them */
  #tasksOf(args: Args): TaskDispatcher {
    const tasks = this.#tasks.get(readText(args, 0));
    if (tasks === undefined) throw new RangeError("The task engine is not open.");
    return tasks;
  }

  #openTasks(args: Args): void {
    const server = readText(args, 0);
    const limits = readLimits(args, 1);
    if (this.#tasks.has(server)) return;
    if (this.#tasks.size >= MAX_SERVERS) throw new RangeError(`Too many servers (limit: ${MAX_SERVERS}).`);
    // The engine runs as many tasks as all processes together.
    const concurrency = limits.concurrency * this.#maxProcesses;
    const engine = this.#store.createTaskEngine({
      server,
      sealer: NO_SEALER,
      limits: { ...limits, concurrency },
    });
    this.#tasks.set(server, new TaskDispatcher(engine, limits));
  }

  #taskHandlers(channel: RpcChannel): Handlers {
    const outbox = new Outbox(channel);
    const watchers = new Releases(channel);
    channel.onClose(() => {
      for (const tasks of this.#tasks.values()) tasks.removeProcess(channel);
    });
    return {
      "tasks.open": (args) => this.#openTasks(args),
      "tasks.create": (args) => this.#tasksOf(args).create(channel, readRecord(args, 1)),
      "tasks.read": (args) => this.#tasksOf(args).engine.read(readText(args, 1)),
      "tasks.write": (args) =>
        this.#tasksOf(args).engine.write({
          record: readRecord(args, 1),
          expectedVersion: readText(args, 2),
          queue: args[3] === true,
        }),
      "tasks.watch": async (args) => {
        const id = readNumber(args, 2);
        const onWrite = () => outbox.send(`watch ${id}`, { method: "tasks.changed", args: [id] });
        watchers.add(id, await this.#tasksOf(args).engine.watch(readText(args, 1), onWrite));
      },
      "tasks.unwatch": (args) => watchers.release(readNumber(args, 0)),
      "tasks.work": (args) => this.#tasksOf(args).addWorker(channel, readNumber(args, 1)),
      "tasks.stop": (args) => this.#tasksOf(args).removeWorker(channel, readNumber(args, 1)),
    };
  }
}

/** Maximum number of servers with tasks. A program has few of them. */
const MAX_SERVERS = 100;

/** The records do not leave the machine and are never written to a disk. */
const NO_SEALER = {
  seal: async (text: string) => text,
  open: async (sealed: string) => sealed,
};

function keyValueHandlers(name: string, store: KeyValueStore): Handlers {
  return {
    [`${name}.get`]: (args) => store.get(readText(args, 0)),
    [`${name}.set`]: (args) =>
      store.set(readText(args, 0), readText(args, 1), {
        ttlMs: readOptionalNumber(args, 2),
        owner: readOptionalText(args, 3),
      }),
    [`${name}.compareAndSet`]: (args) =>
      store.compareAndSet(readText(args, 0), readOptionalText(args, 1) ?? null, {
        value: readText(args, 2),
        ttlMs: readOptionalNumber(args, 3),
        owner: readOptionalText(args, 4),
      }),
    [`${name}.delete`]: (args) => store.delete(readText(args, 0)),
    [`${name}.touch`]: (args) => store.touch(readText(args, 0), readNumber(args, 1)),
  };
}

function sessionHandlers(sessions: SessionRecords): Handlers {
  return {
    ...keyValueHandlers("sessions", sessions),
    "sessions.create": (args) =>
      sessions.create(readText(args, 0), {
        value: readText(args, 1),
        ttlMs: readOptionalNumber(args, 2),
        owner: readOptionalText(args, 3),
        maxPerOwner: readOptionalNumber(args, 4),
        label: readOptionalText(args, 5),
      }),
  };
}

function eventHandlers({ events }: SharedStore): Handlers {
  return {
    "events.append": (args) =>
      events.append(readText(args, 0), readText(args, 1), { id: readOptionalText(args, 2) }),
    "events.read": (args) =>
      events.read(readText(args, 0), readOptionalText(args, 1), readOptionalNumber(args, 2)),
    "events.delete": (args) => events.delete(readText(args, 0)),
  };
}

function rateLimitHandlers({ rateLimits }: SharedStore): Handlers {
  const readRule = (args: Args, index: number): RateLimitRule => ({
    limit: readNumber(args, index),
    windowMs: readNumber(args, index + 1),
  });
  return {
    "rateLimits.consume": (args) =>
      rateLimits.consume(readText(args, 0), readNumber(args, 1), readRule(args, 2)),
    "rateLimits.peek": (args) => rateLimits.peek(readText(args, 0), readRule(args, 1)),
    "rateLimits.reset": (args) => rateLimits.reset(readText(args, 0)),
  };
}

function busHandlers({ bus }: SharedStore, channel: RpcChannel): Handlers {
  const outbox = new Outbox(channel);
  const subscriptions = new Releases(channel);
  return {
    "bus.publish": (args) => bus.publish(readText(args, 0), readText(args, 1)),
    "bus.subscribe": async (args) => {
      const id = readNumber(args, 1);
      const gap = { method: "bus.gap", args: [id] };
      const unsubscribe = await bus.subscribe(
        readText(args, 0),
        (message) => outbox.send(`bus ${id}`, { method: "bus.message", args: [id, message], late: gap }),
        { onGap: () => outbox.send(`bus ${id}`, gap) },
      );
      subscriptions.add(id, unsubscribe);
    },
    "bus.unsubscribe": (args) => subscriptions.release(readNumber(args, 0)),
  };
}

interface Notification {
  readonly method: string;
  readonly args: readonly unknown[];
  /**
   * Notification to send later if this one is dropped.
   * @default this notification
   */
  readonly late?: Notification;
}

/** Sends notifications to a process. If it reads too slowly, at most one per key is kept until it has caught up. */
class Outbox {
  readonly #channel: RpcChannel;
  readonly #late = new Map<string, Notification>();

  constructor(channel: RpcChannel) {
    this.#channel = channel;
    channel.onDrain(() => {
      const late = [...this.#late.values()];
      this.#late.clear();
      for (const { method, args } of late) channel.notify(method, args);
    });
  }

  send(key: string, notification: Notification): void {
    const { method, args, late = notification } = notification;
    if (!this.#channel.offer(method, args)) this.#late.set(key, late);
  }
}

type Release = () => unknown;

/** Subscriptions of a process by ID. They end when its channel closes. */
class Releases {
  readonly #channel: RpcChannel;
  readonly #releases = new Map<number, Release>();

  constructor(channel: RpcChannel) {
    this.#channel = channel;
    channel.onClose(() => {
      for (const id of this.#releases.keys()) void this.release(id);
    });
  }

  /** Adds a subscription. The process may have ended, or have used the ID, while the subscription was being made. */
  add(id: number, release: Release): void {
    if (this.#channel.isClosed || this.#releases.has(id)) void release();
    else this.#releases.set(id, release);
  }

  async release(id: number): Promise<void> {
    const release = this.#releases.get(id);
    this.#releases.delete(id);
    await release?.();
  }
}
