/**
 * @fileoverview In-memory bus for the listeners of one process.
 * @module stores/memory-bus
 */
import { parseName, parseWhole } from "./arguments.js";
import type { Bus, BusListener } from "./ports.js";
import { StoreError } from "./store-error.js";

/** Options of an in-memory bus. */
export interface MemoryBusOptions {
  /**
   * Maximum number of subscriptions on all channels together. Stops clients from accumulating them. Further ones are
   * refused.
   * @default 100000
   */
  readonly maxSubscriptions?: number;
  /**
   * Called with errors that a listener throws or rejects with. Errors of this callback are ignored.
   * @default errors are ignored
   */
  readonly onListenerError?: (error: unknown, channel: string) => void;
}

/** Creates a bus without listeners. At the limit, `subscribe` rejects with a `StoreError`, code `full`. */
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
        // The error callback itself failed, and there is nowhere else to report it.
      }
    }
  };

  return {
    async publish(channel, message) {
      const listeners = [...(channels.get(parseName(channel)) ?? [])];
      // Deliver one tick later, as a network does: no listener runs inside `publish`, and a message that a listener
      // publishes arrives after the one it responds to has reached all listeners.
      await Promise.resolve();
      for (const subscription of listeners) {
        if (subscription.isOpen) void deliver(subscription, channel, message);
      }
    },
    async subscribe(channel, listener) {
      parseName(channel);
      if (subscriptions >= maxSubscriptions) {
        throw new StoreError(
          "full",
          `Subscription limit reached (${maxSubscriptions}). Raise \`maxSubscriptions\` or close unused subscriptions.`,
        );
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
