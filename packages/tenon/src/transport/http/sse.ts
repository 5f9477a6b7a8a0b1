/**
 * @fileoverview Formats server-sent events (HTML standard, event stream format).
 * @module tenon/transport/http/sse
 */
import type { HttpHeaders } from "./http-context.js";

/** Headers for every event stream. `x-accel-buffering` stops nginx from buffering events. */
export const SSE_HEADERS: HttpHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** Formats one event. JSON text contains no line breaks, so the data fits on one line. */
export function formatEvent(data: string, id?: string): string {
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`;
}

/** Formats an event without data that sets the event ID and the reconnect delay. */
export function formatPriming(id: string, retryMs: number): string {
  return `id: ${id}\nretry: ${retryMs}\ndata:\n\n`;
}

/** Formats an event whose type is not `message`. */
export function formatAnnouncement(event: string, data: string): string {
  return `event: ${event}\ndata: ${data}\n\n`;
}

/** Comment that clients ignore and proxies count as activity. */
export const KEEP_ALIVE = ": keep-alive\n\n";
