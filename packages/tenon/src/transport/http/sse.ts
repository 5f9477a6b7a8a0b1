/**
 * @fileoverview Events as text (the HTML standard's event stream format).
 * @module transport/http/sse
 */
import type { HttpHeaders } from "./http-context.js";

/** The headers of every event stream; the last one keeps nginx from holding events back. */
export const SSE_HEADERS: HttpHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** One event. JSON has no line breaks, so its data is one line. */
export function formatEvent(data: string, id?: string): string {
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`;
}

/** An event without data: an id to come back with, and when. */
export function formatPriming(id: string, retryMs: number): string {
  return `id: ${id}\nretry: ${retryMs}\ndata:\n\n`;
}

/** An event of another type than a message. */
export function formatAnnouncement(event: string, data: string): string {
  return `event: ${event}\ndata: ${data}\n\n`;
}

/** A comment, which clients ignore and proxies count as life. */
export const KEEP_ALIVE = ": keep-alive\n\n";
