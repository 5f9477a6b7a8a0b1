/**
 * @fileoverview Mutex that runs tasks one at a time, so that they cannot overwrite each other's changes.
 * @module oauth/tokens/mutex
 */

/** Runs a task after all earlier tasks have settled. */
export type Mutex = <T>(task: () => Promise<T>) => Promise<T>;

/** Creates an unlocked mutex. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const run = last.then(task, task);
    last = run;
    return run;
  };
}
