/**
 * @fileoverview In-memory bus. Messages reach only listeners in the same process.
 * @module tenon/stores/memory-bus
 */
import { defineOptions, type OptionsOf, parseOptions } from "@tenon/internal/options/define-options";
import { callback, integer } from "@tenon/internal/options/option-rows";
import { parseName } from "@tenon/internal/names/store-arguments";
import type { Bus, BusListener } from "./ports.js";
import { StoreError } from "./store-error.js";

/** Options for `createMemoryBus`. */
export const BUS_OPTIONS = /* @__PURE__ */ defineOptions("createMemoryBus", {
  /**
   * Maximum number of subscriptions across all channels. Stops clients from filling memory with subscriptions.
   * @default 100000
   */
  maxSubscriptions: integer({ default: 100_000 }),
  /**
   * Called when a listener throws or rejects. Errors thrown by this callback are ignored.
   * @default errors are ignored
   */
  onListenerError: callback<(error: unknown, channel: string) => void>(),
});

/** Options for `createMemoryBus`. */
export type MemoryBusOptions = OptionsOf<typeof BUS_OPTIONS>;

/** Creates a bus. At the subscription limit, `subscribe` rejects with a `StoreError` (code `full`). */
export function createMemoryBus(options: MemoryBusOptions = {}): Bus {
  const { maxSubscriptions, onListenerError } = parseOptions(BUS_OPTIONS, options);
  const channels = new Map<string, Set<Subscription>>();
  let subscriptions = 0;

  const deliver = async ({ listener }: Subscription, channel: string, message: string) => {
    try {
      await listener(message);
    } catch (error) {
      try {
        onListenerError?.(error, channel);
      } catch {
        // Ignore errors in the callback: they cannot be reported.
      }
    }
  };

  return {
    async publish(channel, message) {
      const listeners = [...(channels.get(parseName(channel)) ?? [])];
      // Deliver one tick later, as a network would. Listeners never run inside `publish`, and a listener's own messages
      // arrive only after all listeners have received the current one.
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
          `Too many subscriptions (limit: ${maxSubscriptions}). Raise \`maxSubscriptions\` or close unused subscriptions.`,
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
