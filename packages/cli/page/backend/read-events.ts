/**
 * @fileoverview Reads one stream of events until it ends.
 * @module cli/page-app/backend/read-events
 */
import type { PageEvent } from "../../src/page/protocol.js";
import { LineSplitter } from "./line-splitter.js";
import { API_PATH, type Fetch, readFailure } from "./requests.js";

/** Reason why a stream has ended. */
export type StreamEnd =
  /** The backend is not reachable, or has closed the stream. */
  | { readonly kind: "lost" }
  /** The cookie is missing, or is that of an earlier launch. */
  | { readonly kind: "denied"; readonly message: string }
  | { readonly kind: "rejected"; readonly message: string };

/** Options of `readEvents`. */
export interface EventReading {
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
  /** Called before the first event. */
  readonly onOpen: () => void;
  /** Called for each chunk of the stream, also for those without a complete event. */
  readonly onEvents: (events: readonly PageEvent[]) => void;
}

/** Reads events until the stream ends. Never rejects. */
export async function readEvents({ fetch, signal, onOpen, onEvents }: EventReading): Promise<StreamEnd> {
  try {
    const response = await fetch(`${API_PATH}events`, { signal, cache: "no-store" });
    if (!response.ok || response.body === null) {
      const message = await readFailure(response);
      return { kind: response.status === 403 ? "denied" : "rejected", message };
    }
    onOpen();
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const lines = new LineSplitter();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { kind: "lost" };
      onEvents(lines.push(decoder.decode(value, { stream: true })).map(parseEvent));
    }
  } catch {
    return { kind: "lost" };
  }
}

function parseEvent(line: string): PageEvent {
  // Safe: the backend has the same version as the page.
  return JSON.parse(line) as PageEvent;
}
