/**
 * @fileoverview The bus in memory: it reaches the listeners of one process.
 * @module stores/memory-bus
 */
import { parseName, parseWhole } from "./arguments.js";
import type { Bus, BusListener } from "./ports.js";
import { StoreError } from "./store-error.js";

/** Bounds of a bus in memory. */
export interface MemoryBusOptions {
  /**
   * Most subscriptions on all channels together: stops clients from piling them up. One more is refused.
   * @default 100000
   */
  readonly maxSubscriptions?: number;
  /**
   * Told what a listener throws or rejects with; what it throws itself is dropped.
   * @default the error is dropped
   */
  readonly onListenerError?: (error: unknown, channel: string) => void;
}

/** Creates a bus without listeners. A subscription too many rejects with a `StoreError`, code `full`. */
export function createMemoryBus(options: MemoryBusOptions = {}): Bus {
  const maxSubscriptions = parseWhole("maxSubscriptions", options.maxSubscriptions ?? 100_000);
  const channels = new Map<string, Set<Subscription>>();
  let subscriptions = 0;

  const deliver = async ({ listener }: Subscription, channel: string, message: string) => {
    try {
      await listener(message);
    } catch (error) {
      try {
        options.onListenerError?.(error, channel);
      } catch {
        // There is nobody left to tell.
      }
    }
  };

  return {
    async publish(channel, message) {
      const listeners = [...(channels.get(parseName(channel)) ?? [])];
      // One tick later, as over a network: no listener runs inside its publisher, and a message published by a
      // listener reaches nobody before the one it answers has reached all.
      await Promise.resolve();
      for (const subscription of listeners) {
        if (subscription.isOpen) void deliver(subscription, channel, message);
      }
    },
    async subscribe(channel, listener) {
      parseName(channel);
      if (subscriptions >= maxSubscriptions) {
        throw new StoreError("full", `No room: the bus has ${maxSubscriptions} subscriptions`);
      }
      const subscription: Subscription = { listener, isOpen: true };
      const listeners = channels.get(channel) ?? new Set();
      channels.set(channel, listeners.add(subscription));
      subscriptions += 1;
      return async () => {
        if (!subscription.isOpen) return;
        subscription.isOpen = false;
        subscriptions -= 1;
        listeners.delete(subscription);
        if (listeners.size === 0) channels.delete(channel);
      };
    },
  };
}

interface Subscription {
  readonly listener: BusListener;
  isOpen: boolean;
}
