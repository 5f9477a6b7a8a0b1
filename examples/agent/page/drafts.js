/**
 * @fileoverview Stores a draft for each conversation. Drafts survive a page reload, but not the end of the browser
 * session.
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
    // Storage is full or disabled. The text stays in the input, so nothing is lost yet.
  }
}
