/**
 * @fileoverview Tells a slow client from one that does not read at all.
 * @module transport/http/stall-watch
 */

/** How many keep-alives in a row may find the client where the last one left it. */
const MAX_BEATS = 4;

/** Watches one stream from one keep-alive to the next. */
export class StallWatch {
  #waited: Promise<void> | undefined;
  #beats = 0;

  /**
   * Whether the client took nothing for too long. A handler that waits for it would wait for ever: it sends no more,
   * so the bound of what waits for the client never cuts it off.
   *
   * @param drained what senders wait for, if they do
   */
  isStalled(drained: Promise<void> | undefined): boolean {
    this.#beats = drained !== undefined && drained === this.#waited ? this.#beats + 1 : 0;
    this.#waited = drained;
    return this.#beats >= MAX_BEATS;
  }
}
