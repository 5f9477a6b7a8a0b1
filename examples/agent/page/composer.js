/**
 * @fileoverview The box that messages are written in. It keeps what was typed until that is safely on its way.
 * @module examples/agent/page/composer
 */
import { byId } from "./dom.js";
import { readDraft, saveDraft } from "./drafts.js";

/**
 * Makes the box work.
 * @param {{ onSend: (text: string) => boolean }} handlers `onSend` says whether the text was taken
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
    // While a word is being composed, Enter belongs to the input method.
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
    /** The conversation got its name: what was typed meanwhile belongs to it. @param {string} next */
    rename(next) {
      const text = box.value;
      saveDraft(taskId, "");
      taskId = next;
      set(text);
    },
    /** Puts back what did not get through, above what was typed since. @param {import("./types.js").Sent} sent */
    giveBack({ taskId: owner, message }) {
      const typed = owner === taskId ? box.value : readDraft(owner);
      const text = typed === "" ? message : `${message}\n\n${typed}`;
      if (owner === taskId) set(text);
      else saveDraft(owner, text);
    },
    /** Ready to type; where fingers type, that would bring up a keyboard that nobody asked for. */
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
