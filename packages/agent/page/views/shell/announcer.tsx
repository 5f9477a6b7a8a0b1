/**
 * @fileoverview Live region for screen readers.
 * @module agent/page-app/views/shell/announcer
 */
import type { TaskState } from "@tenon/agent/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { useApp } from "../../app-context.js";
import { announcementOf } from "../../state/announcements.js";

/** Announces results, questions, and approvals of the shown conversation. */
export function Announcer() {
  const task = useApp().task.value;
  const before = useRef<TaskState | undefined>(undefined);
  const [text, setText] = useState("");
  useEffect(() => {
    const next = announcementOf(before.current, task);
    before.current = task;
    if (next !== "") setText(next);
  }, [task]);
  return (
    <p class="t-hidden" role="status">
      {text}
    </p>
  );
}
