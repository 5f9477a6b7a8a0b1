/**
 * @fileoverview Selected conversation: its messages, the next step, and the input.
 * @module agent/page-app/views/conversation/conversation-view
 */
import { Button } from "@tenon/ui/components/controls/button.js";
import { Loading } from "@tenon/ui/components/layout/loading.js";
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import { useApp } from "../../app-context.js";
import { Composer } from "../composer/composer.js";
import { DropZone } from "../composer/drop-zone.js";
import { useAttachments } from "../composer/use-attachments.js";
import { useSending } from "../composer/use-sending.js";
import { MessageList } from "./message-list.js";
import { NextStepBar } from "./next-step-bar.js";
import { Welcome } from "./welcome.js";

/** Selected conversation, or a new one. */
export function ConversationView() {
  const { router, canWrite, openFailure } = useApp();
  const { taskId } = router.route.value;
  const attachments = useAttachments(taskId);
  const sending = useSending();
  // A message to a conversation that does not exist would create it.
  const isMissing = openFailure.value !== undefined;
  return (
    <DropZone isEnabled={canWrite.value && !isMissing} onFiles={attachments.add}>
      <Content onSuggestion={(text) => sending.send(text)} />
      {!isMissing && (
        <div class="a-bottom">
          <NextStepBar onAgain={sending.sendAgain} />
          <Composer attachments={attachments} onSend={sending.send} />
        </div>
      )}
    </DropZone>
  );
}

function Content({ onSuggestion }: { readonly onSuggestion: (text: string) => void }) {
  const { router, task, openFailure, link } = useApp();
  const { taskId } = router.route.value;
  if (taskId === undefined) return <Welcome onSuggestion={onSuggestion} />;
  if (openFailure.value !== undefined) return <NotFound message={openFailure.value} />;
  // A new conversation shows its first message before the server has stored it.
  if (task.value !== undefined && (!task.value.isLoading || task.value.messages.length > 0))
    return <MessageList key={taskId} task={task.value} onAnswer={onSuggestion} />;
  const isWaiting = link.state.value.connection === "open" || link.state.value.connection === "connecting";
  return <div class="a-scroller">{isWaiting && <Loading text="Loading the conversation…" />}</div>;
}

function NotFound({ message }: { readonly message: string }) {
  const { router } = useApp();
  return (
    <div class="a-scroller">
      <EmptyState
        icon="warning"
        title="This conversation cannot be shown"
        actions={
          <Button icon="plus" onClick={() => router.go({})}>
            New conversation
          </Button>
        }
      >
        <p>{message}</p>
      </EmptyState>
    </div>
  );
}
