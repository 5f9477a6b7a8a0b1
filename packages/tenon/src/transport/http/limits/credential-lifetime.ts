/**
 * @fileoverview Lifetime of a caller's credentials. Event streams do not outlive the credentials that opened them.
 * @module tenon/transport/http/limits/credential-lifetime
 */
import type { Ports } from "@tenon/internal/ports";

/** Lifetime of the credentials that a request was accepted with. The caller's event streams end with it. */
export interface CredentialLifetime {
  /**
   * Time in milliseconds since the epoch at which the credentials stop being accepted.
   * @default `auth.expiresAt`
   */
  readonly validUntil?: number | undefined;
  /** Signal that aborts when the credentials are revoked. If it has aborted already, the request is rejected. */
  readonly revoked?: AbortSignal | undefined;
}

/**
 * Calls `task` once, when credentials expire or are revoked, or immediately if that has already happened.
 *
 * @returns a function that stops waiting and releases the timer and the listener, or `undefined` if nothing waits
 */
export function onCredentialsEnd(
  { validUntil, revoked }: CredentialLifetime,
  { now, startTimer }: Ports,
  task: () => void,
): (() => void) | undefined {
  if (validUntil === undefined && revoked === undefined) return undefined;
  if (revoked?.aborted === true) {
    task();
    return undefined;
  }
  let stopTimer: (() => void) | undefined;
  let forgetSignal: (() => void) | undefined;
  const stop = () => {
    stopTimer?.();
    forgetSignal?.();
  };
  const end = () => {
    stop();
    task();
  };
  const wait = (until: number) => {
    const rest = until - now();
    // An invalid time also ends the wait.
    if (!(rest > 0)) return end();
    stopTimer = startTimer(() => wait(until), Math.min(rest, MAX_DELAY_MS), true);
    return undefined;
  };
  if (revoked !== undefined) forgetSignal = onAbort(revoked, end);
  if (validUntil !== undefined) wait(validUntil);
  return stop;
}

/** Longest delay that timers support. A longer one would end at once. */
const MAX_DELAY_MS = 2_147_483_647;

/** Streams that wait for the same signal, and the function that removes its listener. */
interface Waiting {
  readonly tasks: Set<() => void>;
  readonly unlisten: () => void;
}

const waiting = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls `task` when a signal aborts, unless the returned function is called first. Streams share one listener per
 * signal: Node.js compares a new listener with all others, and warns about more than 10.
 */
function onAbort(signal: AbortSignal, task: () => void): () => void {
  const { tasks, unlisten } = waiting.get(signal) ?? listenTo(signal);
  tasks.add(task);
  return () => {
    if (tasks.delete(task) && tasks.size === 0) unlisten();
  };
}

function listenTo(signal: AbortSignal): Waiting {
  const tasks = new Set<() => void>();
  const onEvent = () => {
    for (const task of tasks) task();
  };
  const unlisten = () => {
    signal.removeEventListener("abort", onEvent);
    waiting.delete(signal);
  };
  const created = { tasks, unlisten };
  waiting.set(signal, created);
  signal.addEventListener("abort", onEvent);
  return created;
}
