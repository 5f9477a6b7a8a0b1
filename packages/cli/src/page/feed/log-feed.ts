/**
 * @fileoverview Lines of the page's log, and log messages of the server.
 * @module cli/page/feed/log-feed
 */
import { createTextRedactor } from "@tenon/internal/security/redact-text";
import type { LogEntry } from "../protocol.js";
import type { PageFeed } from "./page-feed.js";
import { isJsonObject } from "@tenon/internal/json";
import { isLogLevel } from "tenon/protocol";
import { oneLine } from "@tenon/internal/text";

/** Notification or request that a server has sent. */
export interface Sent {
  readonly method: string;
  readonly params?: unknown;
}

/** Line without its number and time. */
export type LogLine = Pick<LogEntry, "source" | "level" | "logger" | "text">;

/** Maximum length of a line in characters. */
const MAX_TEXT = 8_192;

/** Replaces texts that look like credentials, which programs sometimes print. */
const redact = createTextRedactor({ limit: MAX_TEXT });

/** Numbers lines and publishes them. */
export class LogFeed {
  readonly #feed: PageFeed;
  #lastId = 0;

  constructor(feed: PageFeed) {
    this.#feed = feed;
  }

  /** Adds a line. Long texts are cut, and credentials are replaced. */
  add({ text, ...line }: LogLine): void {
    const entry = { id: ++this.#lastId, at: Date.now(), ...line, text: redact(text) };
    this.#feed.publish({ type: "log", entry });
  }
}

/** Converts a notification. Returns `undefined` if it is not a log message. */
export function toLogLine({ method, params }: Sent): LogLine | undefined {
  if (method !== "notifications/message" || !isJsonObject(params)) return undefined;
  const { level, logger, data } = params;
  return {
    source: "server",
    level: isLogLevel(level) ? level : "info",
    logger: typeof logger === "string" ? oneLine(logger.slice(0, 400), 100) : undefined,
    text: typeof data === "string" ? data : (JSON.stringify(data) ?? ""),
  };
}
