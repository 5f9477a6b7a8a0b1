/**
 * @fileoverview Combines notifications that are sent in the same tick, such as many changes to the list of tools.
 * @module sdk/mcp-server/client/debounce
 */
import type { HostedServer } from "tenon/host";

type Notify = Parameters<HostedServer<unknown>["attach"]>[1];

/**
 * Returns a function that sends notifications as the official SDK does: empty parameters are omitted, and notifications
 * of the given methods are sent once per tick, unless they have parameters.
 */
export function debounced(notify: Notify, methods: readonly string[]): Notify {
  const pending = new Set<string>();
  return ({ params, ...notification }, scopes) => {
    const { method } = notification;
    if (params !== undefined && Object.keys(params).length > 0)
      return notify({ ...notification, params }, scopes);
    if (!methods.includes(method)) return notify(notification);
    if (pending.has(method)) return undefined;
    pending.add(method);
    queueMicrotask(() => {
      pending.delete(method);
      void notify(notification);
    });
    return undefined;
  };
}
