/**
 * @fileoverview Text of the input. Each conversation has its own, which survives a reload.
 * @module agent/page-app/views/composer/use-draft
 */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useApp } from "../../app-context.js";

/** Returns the text of the input, and a reference for its element. The input grows with it, and gets the focus in each conversation. */
export function useDraft() {
  const { drafts, router } = useApp();
  const { taskId } = router.route.value;
  const box = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(() => drafts.read(taskId));
  useEffect(() => {
    setText(drafts.read(taskId));
    // On touch screens, the focus would open the keyboard.
    if (matchMedia("(pointer: fine)").matches && document.querySelector("dialog[open]") === null)
      box.current?.focus();
  }, [taskId]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [text]);
  return {
    box,
    text,
    setText: (next: string) => {
      setText(next);
      drafts.save(router.route.peek().taskId, next);
    },
  };
}
