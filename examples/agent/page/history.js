/**
 * @fileoverview The frames of a history in the order in which a reader saw them begin.
 * @module examples/agent/page/history
 */
import { list, number, record, text } from "./values.js";

/** @typedef {import("./types.js").Frame} Frame */

/**
 * A history is kept in the order in which things ended, and `updateTime` says when they began. What has no time
 * belongs to the oldest that ends after it: the parts of a task stand below the call that made them.
 * @param {unknown} messages
 * @returns {readonly Frame[]}
 */
export function inOrder(messages) {
  const frames = list(messages)
    .map(record)
    .map((frame) => ({ type: text(frame["type"]), data: record(frame["data"]) }));
  let next = Infinity;
  return frames
    .toReversed()
    .map((frame) => {
      const own = number(frame.data["updateTime"]);
      next = Math.min(next, own ?? Infinity);
      return { frame, time: own ?? next, isOwn: own !== undefined };
    })
    .toReversed()
    .toSorted((a, b) => (a.time === b.time ? Number(b.isOwn) - Number(a.isOwn) : a.time - b.time))
    .map(({ frame }) => frame);
}
