/**
 * @fileoverview Announcements for screen readers. They report results, and not every piece of a text that streams.
 * @module agent/page-app/state/announcements
 */
import type { TaskState } from "@tenon/agent/client";
import { oneLine } from "@tenon/internal/text";
import type { Item } from "./items/item.js";
import { toItems } from "./items/to-items.js";

const MAX_ANNOUNCED = 1_000;

/** Returns the announcement for a change of the shown task, or an empty text if there is nothing to announce. */
export function announcementOf(before: TaskState | undefined, after: TaskState | undefined): string {
  if (before === undefined || after === undefined || before.taskId !== after.taskId) return "";
  if (before.isLoading || after.isLoading) return "";
  const waiting = newApprovals(before, after);
  if (waiting !== "") return waiting;
  if (!before.isRunning && after.isRunning) return "The agent is working.";
  const last = toItems(after.messages).at(-1);
  if (before.isRunning && !after.isRunning)
    return last === undefined ? "The agent has finished." : wordsOf(last);
  const isNew = last !== undefined && last.key !== before.messages.at(-1)?.key;
  return isNew && last.kind === "notice" ? wordsOf(last) : "";
}

function newApprovals(before: TaskState, after: TaskState): string {
  const known = new Set(before.approvals.map(({ approvalId }) => approvalId));
  const added = after.approvals.filter(({ approvalId }) => !known.has(approvalId));
  if (added.length === 0) return "";
  return `The agent asks for your approval: ${added.map(({ toolName }) => toolName).join(", ")}.`;
}

function wordsOf(item: Item): string {
  const start = STARTS.get(item.kind);
  if (start === undefined || !("text" in item)) return "The agent has finished.";
  return `${start}${oneLine(item.text.slice(0, 2 * MAX_ANNOUNCED), MAX_ANNOUNCED)}`;
}

/** Start of the announcement, by the kind of the item. */
const STARTS: ReadonlyMap<Item["kind"], string> = new Map([
  ["question", "Question: "],
  ["result", "Result: "],
  ["text", "Response: "],
  ["notice", ""],
]);
