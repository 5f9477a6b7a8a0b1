/**
 * @fileoverview Phases of a call, from the times that the command and the server process have measured.
 * @module cli/page/record/phases
 */
import type { CallTimes } from "../../dev/messages/messages.js";
import type { Phase } from "../protocol.js";

/** Times of a call outside of its server process, in milliseconds since 1970. */
export interface OuterTimes {
  /** The command has received the call. */
  readonly start: number;
  /** The command has the reply. */
  readonly end: number;
}

/**
 * Returns the phases of a call. The clocks of two processes can differ slightly, so every time is moved into the
 * duration that the command has measured.
 */
export function toPhases({ start, end }: OuterTimes, times: CallTimes | undefined): readonly Phase[] {
  if (times === undefined) return phase("queue", start, end);
  const within = (time: number, least: number) => Math.min(time > least ? time : least, end);
  const received = within(times.received, start);
  const replied = within(times.replied, received);
  const queue = phase("queue", start, received);
  const network = phase("network", replied, end);
  const { handlerStart, handlerEnd } = times;
  if (handlerStart === undefined) return [...queue, ...phase("handler", received, replied), ...network];
  const began = Math.min(within(handlerStart, received), replied);
  const ended = handlerEnd === undefined ? replied : Math.min(within(handlerEnd, began), replied);
  return [
    ...queue,
    ...phase("validate", received, began),
    ...phase("handler", began, ended),
    ...phase("serialize", ended, replied),
    ...network,
  ];
}

/** Returns the phases between calls to the server: the time on the network before, between, and after them. */
export function toNetworkPhases(
  { start, end }: OuterTimes,
  known: readonly { readonly start: number; readonly end: number }[],
): readonly Phase[] {
  const sorted = known.toSorted((a, b) => a.start - b.start);
  const gaps: Phase[] = [];
  let at = start;
  for (const one of sorted) {
    gaps.push(...phase("network", at, Math.min(one.start, end)));
    at = Math.max(at, one.end);
  }
  return [...gaps, ...phase("network", at, end)];
}

/** Returns a phase, or none if it would be empty. */
function phase(name: Phase["name"], start: number, end: number): readonly Phase[] {
  return end > start ? [{ name, start, end }] : [];
}
