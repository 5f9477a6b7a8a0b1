/**
 * @fileoverview List of toasts. A toast disappears after a while, except if it reports an error or is looked at.
 * @module ui/components/overlay/toast-store
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import { browserTimer, type Timer } from "../../support/timer.js";
import type { Tone } from "../controls/badge.js";

/** Short message about something that has happened. */
export interface Toast {
  readonly id: number;
  readonly tone: Tone;
  readonly text: string;
  /** Action that the toast offers. */
  readonly action?: { readonly label: string; readonly onClick: () => void } | undefined;
}

/** Toasts of a page. */
export interface ToastStore {
  readonly toasts: ReadonlySignal<readonly Toast[]>;
  /** Shows a toast. Returns its ID. */
  readonly show: (toast: Omit<Toast, "id">) => number;
  readonly close: (id: number) => void;
  /** Stops toasts from disappearing while the user looks at them. */
  readonly hold: (isHeld: boolean) => void;
}

const DURATION_MS = 6_000;
const MAX_TOASTS = 5;

/** Creates a list of toasts. */
export function createToastStore(timer: Timer = browserTimer): ToastStore {
  const toasts = signal<readonly Toast[]>([]);
  const pending = new Map<number, () => void>();
  let count = 0;
  let isHeld = false;
  const stop = (id: number) => {
    pending.get(id)?.();
    pending.delete(id);
  };
  const close = (id: number) => {
    stop(id);
    toasts.value = toasts.value.filter((toast) => toast.id !== id);
    // Browsers do not report that the pointer or the focus has left a toast that was removed.
    if (toasts.value.length === 0) isHeld = false;
  };
  const start = ({ id, tone }: Toast) => {
    if (tone !== "danger" && !isHeld)
      pending.set(
        id,
        timer.after(DURATION_MS, () => close(id)),
      );
  };
  return {
    toasts,
    close,
    show(content) {
      const toast = { ...content, id: ++count };
      const all = [...toasts.value, toast];
      for (const old of all.slice(0, -MAX_TOASTS)) stop(old.id);
      toasts.value = all.slice(-MAX_TOASTS);
      start(toast);
      return toast.id;
    },
    hold(next) {
      isHeld = next;
      for (const toast of toasts.value) {
        stop(toast.id);
        start(toast);
      }
    },
  };
}
