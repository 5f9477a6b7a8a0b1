/**
 * @fileoverview A mutex: tasks run one after the other, so that none overwrites what another has just written.
 * @module oauth/mutex
 */

/** Runs a task after every earlier one has settled. */
export type Mutex = <T>(task: () => Promise<T>) => Promise<T>;

/** Creates a mutex that nobody holds. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const run = last.then(task, task);
    last = run;
    return run;
  };
}
