/**
 * @fileoverview Deliberate faults of the servers in the soak test. Each one breaks a promise, so that a run with it must
 * fail.
 * @module tools/soak/breaks
 */

/** Names of the faults, and the promise that each one breaks. */
export const BREAKS = {
  session: "Sessions and connections are never released.",
  handle: "Some calls open a port that is never closed.",
  timer: "Some calls start a timer that is never cleared.",
  listener: "Some calls add a listener that is never removed.",
  reply: "Some calls never get a response.",
  heap: "Some calls keep memory that is never released.",
} as const;

/** Name of a fault. */
export type Break = keyof typeof BREAKS;

/** Narrows a text to the name of a fault. */
export function isBreak(name: string): name is Break {
  return Object.hasOwn(BREAKS, name);
}
