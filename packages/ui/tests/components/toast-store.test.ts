import { describe, expect, test } from "vitest";
import { createToastStore } from "../../src/components/overlay/toast-store.js";
import type { Timer } from "../../src/support/timer.js";

/** Timer that a test advances. */
function createTimer() {
  const calls = new Set<() => void>();
  const timer: Timer = {
    after(_milliseconds, run) {
      calls.add(run);
      return () => calls.delete(run);
    },
  };
  const elapse = () => {
    for (const run of calls) run();
    calls.clear();
  };
  return { timer, elapse, pending: () => calls.size };
}

describe("toasts", () => {
  test("disappear after a while, except errors", () => {
    const { timer, elapse } = createTimer();
    const store = createToastStore(timer);
    store.show({ tone: "success", text: "Saved" });
    store.show({ tone: "danger", text: "Could not save" });
    elapse();
    expect(store.toasts.value.map(({ text }) => text)).toEqual(["Could not save"]);
  });

  test("stay while the user looks at them", () => {
    const { timer, elapse } = createTimer();
    const store = createToastStore(timer);
    store.show({ tone: "info", text: "one" });
    store.hold(true);
    store.show({ tone: "info", text: "two" });
    elapse();
    expect(store.toasts.value).toHaveLength(2);
    store.hold(false);
    elapse();
    expect(store.toasts.value).toEqual([]);
  });

  test("disappear again after the user has closed the last one while looking at it", () => {
    const { timer, elapse } = createTimer();
    const store = createToastStore(timer);
    const id = store.show({ tone: "info", text: "one" });
    store.hold(true);
    store.close(id);
    store.show({ tone: "info", text: "two" });
    elapse();
    expect(store.toasts.value).toEqual([]);
  });

  test("only the last five are shown, and closed ones leave no timer", () => {
    const { timer, pending } = createTimer();
    const store = createToastStore(timer);
    const ids = Array.from({ length: 8 }, (_, index) => store.show({ tone: "info", text: String(index) }));
    expect(store.toasts.value.map(({ text }) => text)).toEqual(["3", "4", "5", "6", "7"]);
    expect(pending()).toBe(5);
    for (const id of ids) store.close(id);
    expect([store.toasts.value.length, pending()]).toEqual([0, 0]);
  });
});
