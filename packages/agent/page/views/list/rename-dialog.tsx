/**
 * @fileoverview Dialog for the title of a conversation.
 * @module agent/page-app/views/list/rename-dialog
 */
import type { TaskSummary } from "@tenon/agent/client";
import { Button } from "@tenon/ui/components/controls/button.js";
import { TextField } from "@tenon/ui/components/fields/text-field.js";
import type { TextControl } from "@tenon/ui/components/fields/text-input.js";
import { Dialog } from "@tenon/ui/components/overlay/dialog.js";
import { useEffect, useRef, useState } from "preact/hooks";
import { useApp } from "../../app-context.js";

/** Properties of the dialogs of a conversation. */
export interface TaskDialogProps {
  readonly task: TaskSummary;
  readonly onClose: () => void;
}

const MAX_TITLE = 500;

/** Changes the title of a conversation. */
export function RenameDialog({ task, onClose }: TaskDialogProps) {
  const { link, attempt, conversations } = useApp();
  const [title, setTitle] = useState(task.title);
  const [isBusy, setIsBusy] = useState(false);
  const input = useRef<TextControl>(null);
  useEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);
  const wanted = title.trim().slice(0, MAX_TITLE);
  const rename = async () => {
    if (wanted === "" || isBusy) return;
    setIsBusy(true);
    const isDone = await attempt(link.client.rename(task.taskId, wanted));
    setIsBusy(false);
    if (!isDone) return;
    conversations.rename(task.taskId, wanted);
    onClose();
  };
  return (
    <Dialog
      title="Rename the conversation"
      isOpen
      onClose={onClose}
      class="a-dialog"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" isBusy={isBusy} isDisabled={wanted === ""} onClick={() => void rename()}>
            Rename
          </Button>
        </>
      }
    >
      <TextField
        label="Title"
        value={title}
        onInput={setTitle}
        inputRef={input}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.isComposing) return;
          event.preventDefault();
          void rename();
        }}
      />
    </Dialog>
  );
}
