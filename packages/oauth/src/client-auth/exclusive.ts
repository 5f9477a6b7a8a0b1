/**
 * @fileoverview Runs tasks for an MCP endpoint one at a time, in this process and in others that share the store.
 * @module oauth/client-auth/exclusive
 */
import { createKeyedMutex } from "../tokens/keyed-mutex.js";
import type { TokenStore } from "../tokens/token-store.js";
import { untilAborted } from "./abort.js";
import { tokenKey } from "./records.js";

/** Runs a task for an endpoint while no other one runs. @throws the signal's reason as soon as it aborts */
export type Exclusive = <T>(url: string, signal: AbortSignal, task: () => Promise<T>) => Promise<T>;

/** Creates the function. Without a lock in the store, it waits only for tasks of the same function. */
export function createExclusive(store: TokenStore): Exclusive {
  const runByKey = createKeyedMutex();
  return (url, signal, task) => {
    const run = async () => {
      signal.throwIfAborted();
      return task();
    };
    const key = tokenKey(url);
    return untilAborted(signal, store.lock?.(key, run, signal) ?? runByKey(key, run));
  };
}
