/**
 * @fileoverview Waiting for what others give, and no longer than it is wanted: not everyone listens to a signal.
 * @module agent/until-aborted
 */

/** What is awaited, or a rejection with the signal's reason as soon as it aborts. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error); // whatever the caller aborted with
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    void Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", abort));
  });
}

/** The items as they come, until the signal aborts; then the source is told to stop, and not waited for. */
export async function* itemsUntilAborted<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let isOver = false;
  try {
    for (;;) {
      const { done, value } = await untilAborted(iterator.next(), signal);
      isOver = done === true;
      if (isOver) return;
      yield value as T; // it is one, where the iterator is not done
    }
  } catch (error) {
    isOver = !signal.aborted;
    throw error;
  } finally {
    if (!isOver)
      void Promise.resolve()
        .then(() => iterator.return?.())
        .catch(() => undefined);
  }
}
