/**
 * @fileoverview Store in another process, used over a channel.
 * @module tenon/transport/node/workers/store-client
 */
import { fromBase64Url } from "@tenon/internal/base64";
import { isJsonObject } from "@tenon/internal/json";
import type {
  Bus,
  BusListener,
  CreatedRecord,
  EventLog,
  EventRead,
  KeyValueEntry,
  KeyValueStore,
  RateLimitOutcome,
  RateLimits,
  SessionRecords,
  SubscribeOptions,
} from "../../../stores/ports.js";
import type { SharedStore, TaskCounts } from "../../../stores/shared-store.js";
import { readNumber, readText } from "./read-arguments.js";
import type { RpcChannel } from "./rpc-channel.js";
import { createEngineSource } from "./task-client.js";

/** Creates a store that the other end of a channel serves. */
export function createStoreClient(channel: RpcChannel): SharedStore {
  return {
    name: "the primary process",
    sessions: createSessionClient(channel),
    values: createKeyValueClient("values", channel),
    events: createEventClient(channel),
    bus: createBusClient(channel),
    rateLimits: createRateLimitClient(channel),
    async secrets() {
      const secrets = await channel.call("secrets");
      return Array.isArray(secrets) ? secrets.map((secret) => decodeSecret(secret)) : [];
    },
    ...createEngineSource(channel),
    countTasks: async () => ((await channel.call("countTasks")) ?? NO_TASKS) as TaskCounts, // Safe: the method's result
    open: async () => async () => undefined,
    async ping() {
      await channel.call("ping");
    },
  };
}

const NO_TASKS: TaskCounts = { queued: 0, active: 0, stored: 0 };

function createKeyValueClient(name: string, channel: RpcChannel): KeyValueStore {
  return {
    async get(key) {
      const entry = await channel.call(`${name}.get`, [key]);
      return isJsonObject(entry) ? (entry as unknown as KeyValueEntry) : undefined; // Safe: the method's result
    },
    async set(key, value, { ttlMs, owner } = {}) {
      await channel.call(`${name}.set`, [key, value, toWire(ttlMs), owner]);
    },
    async compareAndSet(key, expectedVersion, { value, ttlMs, owner }) {
      const args = [key, expectedVersion, value, toWire(ttlMs), owner];
      return (await channel.call(`${name}.compareAndSet`, args)) === true;
    },
    delete: async (key) => (await channel.call(`${name}.delete`, [key])) === true,
    touch: async (key, ttlMs) => (await channel.call(`${name}.touch`, [key, toWire(ttlMs)])) === true,
  };
}

function createSessionClient(channel: RpcChannel): SessionRecords {
  return {
    ...createKeyValueClient("sessions", channel),
    async create(key, { value, ttlMs, owner, maxPerOwner, label }) {
      const args = [key, value, toWire(ttlMs), owner, toWire(maxPerOwner), label];
      return (await channel.call("sessions.create", args)) as CreatedRecord; // Safe: the method's result
    },
  };
}

function createEventClient(channel: RpcChannel): EventLog {
  return {
    append: async (stream, event, { id } = {}) =>
      String(await channel.call("events.append", [stream, event, id])),
    read: async (stream, afterId, limit) =>
      (await channel.call("events.read", [stream, afterId, toWire(limit)])) as EventRead, // Safe: the method's result
    delete: async (stream) => (await channel.call("events.delete", [stream])) === true,
  };
}

function createRateLimitClient(channel: RpcChannel): RateLimits {
  return {
    async consume(key, points, { limit, windowMs }) {
      const args = [key, toWire(points), toWire(limit), toWire(windowMs)];
      return (await channel.call("rateLimits.consume", args)) as RateLimitOutcome; // Safe: the method's result
    },
    async peek(key, { limit, windowMs }) {
      const outcome = await channel.call("rateLimits.peek", [key, toWire(limit), toWire(windowMs)]);
      return isJsonObject(outcome) ? (outcome as unknown as RateLimitOutcome) : undefined; // Safe: the method's result
    },
    async reset(key) {
      await channel.call("rateLimits.reset", [key]);
    },
  };
}

interface Subscription {
  readonly listener: BusListener;
  readonly onGap: (() => void) | undefined;
}

function createBusClient(channel: RpcChannel): Bus {
  const subscriptions = new Map<number, Subscription>();
  let lastId = 0;
  channel.handle({
    // The other process does not wait for the listener, so its errors are ignored.
    "bus.message": (args) => subscriptions.get(readNumber(args, 0))?.listener(readText(args, 1)),
    "bus.gap": (args) => subscriptions.get(readNumber(args, 0))?.onGap?.(),
  });
  return {
    async publish(name, message) {
      await channel.call("bus.publish", [name, message]);
    },
    async subscribe(name: string, listener: BusListener, { onGap }: SubscribeOptions = {}) {
      const id = ++lastId;
      subscriptions.set(id, { listener, onGap });
      try {
        await channel.call("bus.subscribe", [name, id]);
      } catch (error) {
        subscriptions.delete(id);
        throw error;
      }
      return async () => {
        if (subscriptions.delete(id) && !channel.isClosed) await channel.call("bus.unsubscribe", [id]);
      };
    },
  };
}

/** Keeps numbers that JSON does not have, such as NaN, invalid: as `null`, they would mean that the value is absent. */
function toWire(value: number | undefined): number | string | undefined {
  return value === undefined || Number.isFinite(value) ? value : String(value);
}

function decodeSecret(text: unknown): Uint8Array {
  const secret = typeof text === "string" ? fromBase64Url(text) : undefined;
  if (secret === undefined) throw new Error("The primary process sent an invalid secret.");
  return secret;
}
