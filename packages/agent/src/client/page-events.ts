/**
 * @fileoverview Events of a page after which a connection may be dead, such as the end of a computer's sleep.
 * @module agent/client/page-events
 */

/**
 * Calls a function when the browser is online again, and when its page becomes visible. Returns a function that removes
 * the listeners. Without a page, there are no such events.
 */
export function onPageReturn(task: () => void): () => void {
  const page = globalThis as PageGlobals; // Safe: all members are optional
  const { document } = page;
  const onChange = () => {
    if (document?.visibilityState === "visible") task();
  };
  page.addEventListener?.("online", task);
  document?.addEventListener("visibilitychange", onChange);
  return () => {
    page.removeEventListener?.("online", task);
    document?.removeEventListener("visibilitychange", onChange);
  };
}

interface PageGlobals {
  addEventListener?(type: "online", listener: () => void): void;
  removeEventListener?(type: "online", listener: () => void): void;
  readonly document?: {
    readonly visibilityState: string;
    addEventListener(type: "visibilitychange", listener: () => void): void;
    removeEventListener(type: "visibilitychange", listener: () => void): void;
  };
}
