/**
 * @fileoverview Waits for a time, unless a signal aborts.
 * @module tenon/client/transports/delay
 */
import { systemPorts } from "@tenon/internal/ports";

/** Resolves after `ms` milliseconds. Rejects with the signal's reason when it aborts. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const onAbort = () => {
      stopTimer();
      reject(signal?.reason);
    };
    const stopTimer = systemPorts.startTimer(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    return signal?.addEventListener("abort", onAbort, { once: true });
  });
}
