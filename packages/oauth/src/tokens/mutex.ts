/**
 * @fileoverview Tasks one after the other, so that none overwrites what another has just written.
 * @module oauth/in-turn
 */

/** Runs a task when every earlier one has ended, well or badly. */
export type Mutex = <T>(task: () => Promise<T>) => Promise<T>;

/** Creates an empty queue. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const run = last.then(task, task);
    last = run;
    return run;
  };
}
