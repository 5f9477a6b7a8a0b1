/**
 * @fileoverview Bus on Redis Pub/Sub. All subscriptions of a node share one connection, and all listeners of a channel
 * share one subscription.
 * @module redis/stores/bus
 */
import { parseName } from "@tenon/internal/names/store-arguments";
import type { Redis } from "ioredis";
import { type Bus, type BusListener, StoreError, type SubscribeOptions } from "tenon/stores";
import { isReply } from "../connection/errors.js";
import { Link, type LinkOptions, runScript, type Script } from "../connection/index.js";

/** Parts of a bus. */
export interface BusParts extends LinkOptions {
  /** Link for publishing. */
  readonly link: Link;
  readonly createClient: () => Redis;
  /** Returns the Redis channel for a name. */
  readonly toChannel: (name: string) => string;
  readonly isCluster: boolean;
  readonly maxSubscriptions: number;
}

/** Time between two checks of an idle connection in milliseconds. A lost connection is noticed soon after. */
const HEARTBEAT_MS = 2_000;
/** Maximum number of channels in one command. */
const MAX_BATCH = 1_000;

/** Bus with its own connection for subscriptions. */
export class RedisBus implements Bus {
  readonly #parts: BusParts;
  readonly #link: Link<Redis>;
  readonly #channels = new Map<string, Channel>();
  #subscriptions = 0;

  constructor(parts: BusParts) {
    this.#parts = parts;
    this.#link = new Link(() => this.#createClient(), parts);
  }

  /** Connects. @throws if Redis does not respond in time */
  open(): Promise<void> {
    return this.#link.open();
  }

  /** Disconnects. Ends all subscriptions. */
  close(): void {
    this.#link.close();
    this.#channels.clear();
    this.#subscriptions = 0;
  }

  async publish(channel: string, message: string): Promise<void> {
    const { link, toChannel, isCluster } = this.#parts;
    const name = toChannel(parseName(channel));
    // Not repeatable: listeners would receive the message twice. A cluster would publish each message on a different
    // node, which could change their order. The script runs on the node of its key.
    if (isCluster) await runScript(link, PUBLISH, { keys: [name], args: [message] });
    else await link.run((client) => client.publish(name, message));
  }

  async subscribe(
    channel: string,
    listener: BusListener,
    { onGap }: SubscribeOptions = {},
  ): Promise<() => Promise<void>> {
    const name = this.#parts.toChannel(parseName(channel));
    const { maxSubscriptions } = this.#parts;
    if (this.#subscriptions >= maxSubscriptions) {
      throw new StoreError(
        "full",
        `Too many subscriptions (limit: ${maxSubscriptions}). Raise \`maxSubscriptions\` or close unused subscriptions.`,
      );
    }
    const subscription: Subscription = { listener, onGap, isOpen: true };
    const joined = this.#channels.get(name) ?? this.#addChannel(name);
    joined.subscriptions.add(subscription);
    this.#subscriptions += 1;
    try {
      await joined.subscribed;
    } catch (error) {
      await this.#remove(joined, subscription);
      throw error;
    }
    return () => this.#remove(joined, subscription);
  }

  #addChannel(name: string): Channel {
    const subscribed = this.#link.run((client) => client.subscribe(name), { repeatable: true });
    const channel: Channel = { name, subscriptions: new Set(), subscribed };
    this.#channels.set(name, channel);
    return channel;
  }

  async #remove(channel: Channel, subscription: Subscription): Promise<void> {
    if (!subscription.isOpen) return;
    subscription.isOpen = false;
    channel.subscriptions.delete(subscription);
    if (this.#channels.get(channel.name) !== channel) return;
    this.#subscriptions -= 1;
    if (channel.subscriptions.size > 0) return;
    this.#channels.delete(channel.name);
    // Without a connection, Redis has no subscription either.
    if (!this.#link.isReady) return;
    await this.#link.run((client) => client.unsubscribe(channel.name)).catch(() => undefined);
  }

  #createClient(): Redis {
    const client = this.#parts.createClient();
    client.on("message", (name: string, message: string) => {
      // A listener may subscribe or unsubscribe.
      const subscriptions = [...(this.#channels.get(name)?.subscriptions ?? [])];
      for (const one of subscriptions) if (one.isOpen) void deliver(one, message);
    });
    client.on("ready", () => {
      this.#restore(client).catch((error: unknown) => {
        // A connection to a Redis that did not respond in time is replaced by a new one, which starts over.
        if (!isReply(error)) client.disconnect(true);
      });
    });
    // Finds connections that were lost without notice. The client replaces one that does not respond.
    const heartbeat = setInterval(() => {
      if (client.status === "ready") void client.ping().catch(() => undefined);
    }, HEARTBEAT_MS).unref();
    client.once("end", () => clearInterval(heartbeat));
    return client;
  }

  /** Subscribes again after a lost connection, and reports the gap. @throws if Redis does not respond in time */
  async #restore(client: Redis): Promise<void> {
    const channels = [...this.#channels.values()];
    for (let start = 0; start < channels.length; start += MAX_BATCH) {
      const names = channels.slice(start, start + MAX_BATCH).map(({ name }) => name);
      const current = names.filter((name) => this.#channels.has(name));
      if (current.length > 0) await client.subscribe(...current);
    }
    const subscriptions = channels.flatMap((channel) => [...channel.subscriptions]);
    for (const one of subscriptions) reportGap(one);
  }
}

interface Channel {
  readonly name: string;
  readonly subscriptions: Set<Subscription>;
  /** Resolves when Redis delivers messages. */
  readonly subscribed: Promise<unknown>;
}

interface Subscription {
  readonly listener: BusListener;
  readonly onGap: (() => void) | undefined;
  isOpen: boolean;
}

async function deliver({ listener }: Subscription, message: string): Promise<void> {
  try {
    await listener(message);
  } catch {
    // Listeners handle their own errors. One listener must not affect the others.
  }
}

function reportGap({ onGap, isOpen }: Subscription): void {
  try {
    if (isOpen) onGap?.();
  } catch {
    // As in `deliver`.
  }
}

const PUBLISH: Script = {
  name: "tenonPublish",
  keys: 1,
  mode: "frees",
  lua: `return redis.call('PUBLISH', KEYS[1], ARGV[1])`,
};
