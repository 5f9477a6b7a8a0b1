/**
 * @fileoverview Abortable delays and iterables that clean up their timers and listeners.
 * @module agent/models/waiting
 */
import type { Ports } from "@tenon/internal/ports";
import { untilAborted } from "../shared/until-aborted.js";

/** Resolves after `ms` milliseconds. @throws the signal's reason as soon as the signal aborts */
export function pause(ms: number, signal: AbortSignal, ports: Pick<Ports, "startTimer">): Promise<void> {
  let stopTimer = () => {};
  const passed = new Promise<void>((resolve) => {
    if (!signal.aborted) stopTimer = ports.startTimer(resolve, ms);
  });
  return untilAborted(passed, signal).finally(() => stopTimer());
}

/** Child signal: aborts with its parent, and can be aborted separately. */
export interface Branch {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  /** Removes the listener from the parent signal. */
  release(): void;
}

/** Creates a child of a signal. The caller must call `release`. */
export function createBranch(signal: AbortSignal): Branch {
  const controller = new AbortController();
  const follow = () => controller.abort(signal.reason);
  signal.addEventListener("abort", follow, { once: true });
  if (signal.aborted) follow();
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => signal.removeEventListener("abort", follow),
  };
}

/** Rules for waiting until data arrives. */
export interface WaitRules {
  /** Signal that ends the wait. It is also aborted after a timeout, so that the source stops. */
  readonly branch: Branch;
  readonly ms: number;
  readonly ports: Pick<Ports, "startTimer">;
  /** Converts an error of the source. */
  readonly toFailure: (error: unknown) => Error;
  /** Creates the error for a timeout. */
  readonly toTimeout: () => Error;
}

/** Waits for data. The wait ends with data, an error, a timeout, or an abort, even if the source ignores the signal. */
export async function waitForData<T>(start: () => PromiseLike<T>, rules: WaitRules): Promise<T> {
  const { branch, ms, ports } = rules;
  const { signal } = branch;
  const stopTimer = ports.startTimer(() => branch.abort(SILENCE), ms);
  try {
    return await untilAborted(Promise.resolve(start()), signal);
  } catch (error) {
    if (!signal.aborted) throw rules.toFailure(error);
    throw signal.reason === SILENCE ? rules.toTimeout() : signal.reason;
  } finally {
    stopTimer();
  }
}

/** Abort reason that distinguishes a timeout from the caller's abort. */
const SILENCE = Symbol("silence");

/**
 * Creates an iterable that starts its work on the first `next()` and throws the signal's reason as soon as the signal
 * aborts. `return()` stops the work immediately, even while a piece is pending. A plain generator would wait for that
 * piece.
 */
export function toStoppable<T>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncIterableIterator<T> {
  let stop: (() => void) | undefined;
  let isStopped = false;
  const run = async function* (): AsyncGenerator<T, undefined> {
    signal.throwIfAborted();
    const branch = createBranch(signal);
    stop = () => branch.abort();
    try {
      for await (const piece of work(branch.signal)) {
        yield piece;
        signal.throwIfAborted();
      }
    } catch (error) {
      if (isStopped) return;
      throw signal.aborted ? signal.reason : error;
    } finally {
      branch.release();
      branch.abort();
    }
  };
  const pieces = run();
  return {
    next: () => pieces.next(),
    return: () => {
      isStopped = true;
      stop?.();
      return pieces.return(undefined);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
