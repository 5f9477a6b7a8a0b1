/**
 * @fileoverview What was typed and not sent, by conversation. It outlives a reload, and nothing more.
 * @module examples/agent/page/drafts
 */

const PREFIX = "draft:";

/** @type {(taskId: string) => string} */
export function readDraft(taskId) {
  try {
    return sessionStorage.getItem(PREFIX + taskId) ?? "";
  } catch {
    return "";
  }
}

/** @type {(taskId: string, text: string) => void} */
export function saveDraft(taskId, text) {
  try {
    if (text === "") sessionStorage.removeItem(PREFIX + taskId);
    else sessionStorage.setItem(PREFIX + taskId, text);
  } catch {
    // The storage is full or forbidden: the text is still in the box.
  }
}
