/**
 * @fileoverview Handlers of events.
 * @module ui/support/events
 */
import type { Signal } from "@preact/signals";

/** Returns a handler that replaces what the browser does, such as sending a form. */
export function insteadOfDefault(run: () => void): (event: Event) => void {
  return (event) => {
    event.preventDefault();
    run();
  };
}

/** Returns a handler for an element inside another one that also handles the event. */
export function withoutBubbling(run: () => void): (event: Event) => void {
  return (event) => {
    event.stopPropagation();
    run();
  };
}

/** Returns a function that sets a signal. */
export function setterOf<T>(target: Signal<T>): (value: T) => void {
  return (value) => {
    target.value = value;
  };
}
