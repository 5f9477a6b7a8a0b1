/**
 * @fileoverview Confirmation before a conversation is deleted.
 * @module agent/page-app/views/list/delete-dialog
 */
import { Button } from "@tenon/ui/components/controls/button.js";
import { Dialog } from "@tenon/ui/components/overlay/dialog.js";
import { useState } from "preact/hooks";
import { useApp } from "../../app-context.js";
import { toLabel } from "../../state/text.js";
import type { TaskDialogProps } from "./rename-dialog.js";

/** Deletes a conversation after a confirmation. */
export function DeleteDialog({ task, onClose }: TaskDialogProps) {
  const { link, attempt, conversations, router, drafts, toasts } = useApp();
  const [isBusy, setIsBusy] = useState(false);
  const remove = async () => {
    if (isBusy) return;
    setIsBusy(true);
    const isDone = await attempt(link.client.delete(task.taskId));
    setIsBusy(false);
    if (!isDone) return;
    conversations.remove(task.taskId);
    drafts.save(task.taskId, "");
    onClose();
    toasts.show({ tone: "success", text: "The conversation was deleted." });
    if (router.route.peek().taskId === task.taskId) router.replace({});
  };
  return (
    <Dialog
      title="Delete the conversation?"
      isOpen
      onClose={onClose}
      class="a-dialog"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="danger" icon="trash" isBusy={isBusy} onClick={() => void remove()}>
            Delete
          </Button>
        </>
      }
    >
      <p>
        “{toLabel(task.title)}” and its files are deleted for good. If the agent is working on it, it stops.
      </p>
    </Dialog>
  );
}
