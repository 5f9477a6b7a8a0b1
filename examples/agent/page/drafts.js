/**
 * @fileoverview Drafts by conversation. They survive a reload, but not the browser session.
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
    // The storage is full or disabled. The text is still in the input.
  }
}
