/**
 * @fileoverview Waits for the end of a token's lifetime.
 * @module agent/users/lifetime
 */
import { systemPorts } from "@tenon/internal/ports";
import type { CredentialLifetime } from "tenon/fetch";

/** Returns true if a token has expired or was revoked. An invalid time counts as expired. */
export function hasEnded({ validUntil, revoked }: CredentialLifetime, now = systemPorts.now()): boolean {
  return revoked?.aborted === true || (validUntil !== undefined && !(validUntil > now));
}

/** Calls `task` once, when a token expires or is revoked. Returns a function that stops waiting. */
export function onTokenEnd(lifetime: CredentialLifetime, task: () => void): () => void {
  const { validUntil, revoked } = lifetime;
  let stopTimer: (() => void) | undefined;
  let stopListening: (() => void) | undefined;
  const stop = () => {
    stopTimer?.();
    stopListening?.();
  };
  const check = () => {
    if (hasEnded(lifetime)) {
      stop();
      task();
    } else if (validUntil !== undefined) {
      const rest = Math.min(validUntil - systemPorts.now(), MAX_DELAY_MS);
      // A timer can be slightly early, so the time is checked again.
      stopTimer = systemPorts.startTimer(check, Math.max(1, rest), true);
    }
  };
  if (revoked !== undefined) stopListening = onAbort(revoked, check);
  check();
  return stop;
}

/** Longest delay that timers support. A longer one would end at once. */
const MAX_DELAY_MS = 2_147_483_647;

const listening = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `task` when a signal aborts. Connections share one listener, because Node.js warns about many. */
function onAbort(signal: AbortSignal, task: () => void): () => void {
  const tasks = listening.get(signal) ?? listenTo(signal);
  tasks.add(task);
  return () => void tasks.delete(task);
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const tasks = new Set<() => void>();
  listening.set(signal, tasks);
  signal.addEventListener("abort", () => tasks.forEach((task) => task()), { once: true });
  return tasks;
}
