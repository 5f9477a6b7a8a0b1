/**
 * @fileoverview The message input. Saves unsent text as a draft.
 * @module examples/agent/page/composer
 */
import { byId } from "./dom.js";
import { readDraft, saveDraft } from "./drafts.js";

/**
 * Sets up the message input and its keyboard shortcuts.
 * @param {{ onSend: (text: string) => boolean }} handlers `onSend` returns true if the text was accepted
 */
export function createComposer({ onSend }) {
  const box = byId("box", HTMLTextAreaElement);
  let taskId = "";

  const submit = () => {
    const text = box.value.trim();
    if (text !== "" && onSend(text)) set("");
    box.focus();
  };
  const set = (/** @type {string} */ text) => {
    box.value = text;
    fit(box);
    saveDraft(taskId, text);
  };
  byId("form", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  box.addEventListener("input", () => set(box.value));
  box.addEventListener("keydown", (event) => {
    // During composition, Enter belongs to the input method.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit();
  });

  return {
    /** Shows a different conversation's draft. @param {string} next */
    open(next) {
      taskId = next;
      set(readDraft(next));
    },
    /** Moves the current draft to a conversation that has just received its ID. @param {string} next */
    rename(next) {
      const text = box.value;
      saveDraft(taskId, "");
      taskId = next;
      set(text);
    },
    /**
     * Restores an undelivered message. Text that was typed in the meantime follows below it.
     * @param {import("./types.js").Sent} sent
     */
    giveBack({ taskId: owner, message }) {
      const typed = owner === taskId ? box.value : readDraft(owner);
      const text = typed === "" ? message : `${message}\n\n${typed}`;
      if (owner === taskId) set(text);
      else saveDraft(owner, text);
    },
    /** Focuses the input, except on touch devices, where that would open the on-screen keyboard. */
    focus() {
      if (matchMedia("(pointer: fine)").matches) box.focus();
    },
  };
}

/** @type {(box: HTMLTextAreaElement) => void} */
function fit(box) {
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}
