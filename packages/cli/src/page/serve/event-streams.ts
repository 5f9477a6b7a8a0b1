/**
 * @fileoverview Streams of events to pages: one JSON object per line. An empty line keeps the connection open.
 * @module cli/page/serve/event-streams
 */
import type { ServerResponse } from "node:http";
import type { PageFeed } from "../feed/page-feed.js";
import type { PageEvent } from "../protocol.js";
import { PAGE_HEADERS } from "./respond.js";

/** Limits of streams. */
export interface StreamLimits {
  /** Maximum number of open streams. */
  readonly streams: number;
  /**
   * Maximum size of unread data of one stream in bytes, in addition to the state at its start. Beyond it, the page is
   * disconnected, and connects again.
   */
  readonly unreadBytes: number;
}

/** Default limits. */
export const STREAM_LIMITS: StreamLimits = { streams: 16, unreadBytes: 32 * 1024 * 1024 };

const KEEP_ALIVE_MS = 15_000;

/** Open streams. */
export class EventStreams {
  readonly #feed: PageFeed;
  readonly #limits: StreamLimits;
  readonly #open = new Set<ServerResponse>();
  #lastEvent: PageEvent | undefined;
  #lastLine = "";

  constructor(feed: PageFeed, limits: StreamLimits = STREAM_LIMITS) {
    this.#feed = feed;
    this.#limits = limits;
  }

  /** Maximum number of open streams. */
  get limit(): number {
    return this.#limits.streams;
  }

  /** True if no more streams can be opened. */
  get isFull(): boolean {
    return this.#open.size >= this.#limits.streams;
  }

  /** Sends the state and all later events until the page disconnects. */
  open(response: ServerResponse): void {
    this.#open.add(response);
    response.writeHead(200, {
      ...PAGE_HEADERS,
      "content-type": "application/x-ndjson; charset=utf-8",
      "cache-control": "no-store",
    });
    let disconnect: (() => void) | undefined;
    const timer = setInterval(() => response.write("\n"), KEEP_ALIVE_MS).unref();
    response.once("close", () => {
      clearInterval(timer);
      this.#open.delete(response);
      disconnect?.();
    });
    // A page that disconnects has no use for errors of its connection.
    response.on("error", () => undefined);
    // The state can be larger than the limit, and a page that is disconnected because of it would never get it.
    let limit = Number.POSITIVE_INFINITY;
    disconnect = this.#feed.connect((event) => this.#send(response, event, limit));
    limit = response.writableLength + this.#limits.unreadBytes;
    if (response.destroyed) disconnect();
  }

  /** Ends all streams. */
  close(): void {
    for (const response of this.#open) response.end();
  }

  #send(response: ServerResponse, event: PageEvent, limit: number): void {
    if (response.destroyed || response.writableEnded) return;
    response.write(this.#toLine(event));
    if (response.writableLength > limit) response.destroy();
  }

  /** Serializes an event once for all streams. */
  #toLine(event: PageEvent): string {
    if (event !== this.#lastEvent) {
      this.#lastEvent = event;
      this.#lastLine = `${JSON.stringify(event)}\n`;
    }
    return this.#lastLine;
  }
}
