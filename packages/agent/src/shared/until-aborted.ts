/**
 * @fileoverview Stops waiting for a promise or an iterable when a signal aborts, even if the source ignores the signal.
 * @module agent/shared/until-aborted
 */

/** Resolves with the result of `work`. Rejects with the signal's reason as soon as the signal aborts. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    // The reason may be any value. The cast only satisfies the linter.
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    void Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Yields items until the signal aborts. On abort, calls the source's `return` without waiting for it. */
export async function* itemsUntilAborted<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  // One listener for all items, because a response can have a million of them.
  let fail: ((reason: unknown) => void) | undefined;
  const abort = () => fail?.(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  let isOver = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await new Promise<IteratorResult<T>>((resolve, reject) => {
        fail = reject;
        iterator.next().then(resolve, reject);
      });
      isOver = done === true;
      if (isOver) return;
      yield value as T; // Safe: `value` is set unless the iterator is done
    }
  } catch (error) {
    isOver = !signal.aborted;
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
    if (!isOver)
      void Promise.resolve()
        .then(() => iterator.return?.())
        .catch(() => undefined);
  }
}
