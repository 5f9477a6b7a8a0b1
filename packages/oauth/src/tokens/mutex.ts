/**
 * @fileoverview A mutex: tasks run one after the other, so that no task overwrites the result of another.
 * @module oauth/mutex
 */

/** Runs a task after every earlier one has settled. */
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
