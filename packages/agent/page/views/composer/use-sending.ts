/**
 * @fileoverview Sends messages to the shown conversation, or to a new one.
 * @module agent/page-app/views/composer/use-sending
 */
import { type AgentFile, createTaskId } from "@tenon/agent/client";
import { useApp } from "../../app-context.js";
import { lastSent } from "../../state/endings.js";
import { describeFailure } from "../../state/text.js";

/** Returns functions that send messages. A new conversation gets its ID here. */
export function useSending() {
  const { link, router, toasts, task, openFailure } = useApp();
  const send = (text: string, files: readonly AgentFile[] = []) => {
    // The conversation was deleted, and a message would create it again.
    if (openFailure.peek() !== undefined) return;
    const known = router.route.peek().taskId;
    const taskId = known ?? createTaskId();
    link.client
      .send(text, { taskId, ...(files.length > 0 && { files }) })
      .catch((error: unknown) => toasts.show({ tone: "danger", text: describeFailure(error) }));
    if (known === undefined) router.go({ taskId });
  };
  return {
    /** Sends a message. It is shown at once, and marked if it is not delivered. */
    send,
    /** Sends the last message again. */
    sendAgain: () => {
      const shown = task.peek();
      const last = shown && lastSent(shown);
      if (last !== undefined) send(last.message, last.files);
    },
  };
}
