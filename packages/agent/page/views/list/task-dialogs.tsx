/**
 * @fileoverview Dialogs that rename and delete a conversation.
 * @module agent/page-app/views/list/task-dialogs
 */
import type { TaskSummary } from "@tenon/agent/client";
import { Button, type ButtonProps } from "@tenon/ui/components/controls/button.js";
import { TextField } from "@tenon/ui/components/fields/text-field.js";
import type { TextControl } from "@tenon/ui/components/fields/text-input.js";
import { Dialog } from "@tenon/ui/components/overlay/dialog.js";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useApp } from "../../app-context.js";
import { useRequest } from "../../components/hooks.js";
import { toLabel } from "../../state/text.js";

/** Properties of the dialogs of a conversation. */
export interface TaskDialogProps {
  readonly task: TaskSummary;
  readonly onClose: () => void;
}

const MAX_TITLE = 500;

/** Changes the title of a conversation. */
export function RenameDialog({ task, onClose }: TaskDialogProps) {
  const { link, conversations } = useApp();
  const [title, setTitle] = useState(task.title);
  const [isBusy, request] = useRequest();
  const input = useRef<TextControl>(null);
  useEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);
  const wanted = title.trim().slice(0, MAX_TITLE);
  const rename = async () => {
    if (wanted === "" || !(await request(() => link.client.rename(task.taskId, wanted)))) return;
    conversations.rename(task.taskId, wanted);
    onClose();
  };
  const action = {
    tone: "primary",
    isBusy,
    isDisabled: wanted === "",
    onClick: () => void rename(),
  } as const;
  return (
    <ActionDialog
      title="Rename the conversation"
      onClose={onClose}
      action={{ ...action, children: "Rename" }}
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
    </ActionDialog>
  );
}

/** Deletes a conversation after a confirmation. */
export function DeleteDialog({ task, onClose }: TaskDialogProps) {
  const { link, conversations, router, drafts, toasts } = useApp();
  const [isBusy, request] = useRequest();
  const remove = async () => {
    if (!(await request(() => link.client.delete(task.taskId)))) return;
    conversations.remove(task.taskId);
    drafts.save(task.taskId, "");
    onClose();
    toasts.show({ tone: "success", text: "The conversation was deleted." });
    if (router.route.peek().taskId === task.taskId) router.replace({});
  };
  const action = { tone: "danger", icon: "trash", isBusy, onClick: () => void remove() } as const;
  return (
    <ActionDialog
      title="Delete the conversation?"
      onClose={onClose}
      action={{ ...action, children: "Delete" }}
    >
      <p>
        “{toLabel(task.title)}” and its files are deleted for good. If the agent is working on it, it stops.
      </p>
    </ActionDialog>
  );
}

interface ActionDialogProps {
  readonly title: string;
  readonly action: ButtonProps;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Dialog with a button for an action, and one that cancels it. */
function ActionDialog({ title, action, onClose, children }: ActionDialogProps) {
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button {...action} />
    </>
  );
  return (
    <Dialog title={title} isOpen onClose={onClose} class="a-dialog" actions={actions}>
      {children}
    </Dialog>
  );
}
