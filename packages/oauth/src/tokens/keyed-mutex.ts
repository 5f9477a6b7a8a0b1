/**
 * @fileoverview Mutexes by key. Tasks with different keys run at the same time.
 * @module oauth/tokens/keyed-mutex
 */
import { createMutex, type Mutex } from "./mutex.js";

/** Runs a task after all earlier tasks with the same key have settled. */
export type KeyedMutex = <T>(key: string, task: () => Promise<T>) => Promise<T>;

/** Creates a mutex for each key. A mutex exists only while tasks use it. */
export function createKeyedMutex(): KeyedMutex {
  const mutexes = new Map<string, { readonly run: Mutex; tasks: number }>();
  return async (key, task) => {
    const mutex = mutexes.get(key) ?? { run: createMutex(), tasks: 0 };
    mutexes.set(key, mutex);
    mutex.tasks += 1;
    try {
      return await mutex.run(task);
    } finally {
      mutex.tasks -= 1;
      if (mutex.tasks === 0) mutexes.delete(key);
    }
  };
}
