/**
 * @fileoverview Timer for the end of a task's lifetime, which can be longer than the maximum delay of a timer.
 * @module tenon/tasks/state/expiry-timer
 */
import type { Ports } from "@tenon/internal/ports";
import type { TaskRecord } from "./record.js";
import { expiryOf } from "./transitions.js";

/**
 * Calls `onExpiry` once, when a task's lifetime has ended, unless the returned function is called first. Does nothing
 * for a task without a lifetime. The timer does not keep the process running.
 */
export function startExpiryTimer(
  ports: Pick<Ports, "now" | "startTimer">,
  record: Pick<TaskRecord, "createdAt" | "ttlMs">,
  onExpiry: () => void,
): () => void {
  const expiry = expiryOf(record);
  if (expiry === Number.POSITIVE_INFINITY) return () => undefined;
  const startStep = () => {
    const delay = Math.min(Math.max(expiry - ports.now(), 1), MAX_DELAY);
    return ports.startTimer(onStep, delay, true);
  };
  const onStep = () => {
    if (ports.now() >= expiry) onExpiry();
    else stop = startStep();
  };
  let stop = startStep();
  return () => stop();
}

/** Maximum delay of a timer in milliseconds. A longer one would fire at once. */
const MAX_DELAY = 2 ** 31 - 1;
