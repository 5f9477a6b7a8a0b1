/**
 * @fileoverview Lines of the page's log.
 * @module cli/page/feed/log-feed
 */
import { createTextRedactor } from "@tenon/internal/security/redact-text";
import type { LogEntry } from "../protocol.js";
import type { PageFeed } from "./page-feed.js";

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
