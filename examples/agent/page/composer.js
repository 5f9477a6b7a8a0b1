/**
 * @fileoverview The message input. Keeps the typed text until it is sent.
 * @module examples/agent/page/composer
 */
import { byId } from "./dom.js";
import { readDraft, saveDraft } from "./drafts.js";

/**
 * Sets up the message input.
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
    /** Shows the draft of another conversation. @param {string} next */
    open(next) {
      taskId = next;
      set(readDraft(next));
    },
    /** Assigns the current draft to a conversation that has received its id. @param {string} next */
    rename(next) {
      const text = box.value;
      saveDraft(taskId, "");
      taskId = next;
      set(text);
    },
    /**
     * Restores a message that was not delivered, above text that was typed since. @param
     * {import("./types.js").Sent} sent
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
