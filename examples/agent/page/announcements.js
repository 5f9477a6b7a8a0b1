/**
 * @fileoverview Announcements for screen readers. They report results, not every chunk of streamed text.
 * @module examples/agent/page/announcements
 */
import { isRunning } from "./state.js";

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Item} Item */

/**
 * Returns the announcement for a state change, or "" if there is nothing to announce.
 * @param {State | undefined} before
 * @param {State} after
 * @returns {string}
 */
export function announcementOf(before, after) {
  if (before === undefined || before.taskId !== after.taskId) return "";
  const was = isRunning(before);
  const is = isRunning(after);
  if (!was && is) return "The agent is working";
  const last = after.items.at(-1);
  if (was && !is) return last === undefined ? "The agent is done" : wordsOf(last);
  return last !== before.items.at(-1) && last?.kind === "notice" ? last.text : "";
}

/** @type {(item: Item) => string} */
function wordsOf(item) {
  switch (item.kind) {
    case "question":
      return `Question: ${item.text}`;
    case "completion":
      return `Task completed: ${item.text}`;
    case "message":
      return `Response: ${item.text}`;
    case "notice":
      return item.text;
    default:
      return "The agent is done";
  }
}
