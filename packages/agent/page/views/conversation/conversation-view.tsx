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
import { Icon } from "@tenon/ui/icons/icon.js";
import { TONE_ICONS } from "@tenon/ui/components/controls/badge.js";
import { useRequest } from "../../components/hooks.js";
import { nextStepOf } from "../../state/endings.js";

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

/** Says how the last run has ended, and offers to continue it. */
function NextStepBar({ onAgain }: { readonly onAgain: () => void }) {
  const { task, canWrite, link } = useApp();
  const [isBusy, request] = useRequest();
  const shown = task.value;
  const step = shown && nextStepOf(shown);
  if (shown === undefined || step === undefined) return null;
  const resume = () => void request(() => link.client.resume(shown.taskId));
  return (
    <div class="a-next" data-tone={step.tone}>
      <Icon name={TONE_ICONS[step.tone]} />
      <span class="a-next__text">{step.text}</span>
      {canWrite.value && step.action === "resume" && (
        <Button icon="play" isBusy={isBusy} onClick={resume}>
          Resume
        </Button>
      )}
      {canWrite.value && step.action === "again" && (
        <Button icon="repeat" onClick={onAgain}>
          Send again
        </Button>
      )}
    </div>
  );
}

/** Greets the user, and suggests first messages. */
function Welcome({ onSuggestion }: { readonly onSuggestion: (text: string) => void }) {
  const { config, canWrite, link } = useApp();
  const isReady = link.state.value.connection === "open";
  return (
    <div class="a-scroller a-welcome">
      <div class="a-welcome__content">
        <span class="a-side__mark a-welcome__mark" aria-hidden="true" />
        <h2 class="a-welcome__title">{config.greeting}</h2>
        {canWrite.value && config.suggestions.length > 0 && (
          <ul class="a-welcome__suggestions" aria-label="Suggestions">
            {config.suggestions.map((text) => (
              <li key={text}>
                <button
                  type="button"
                  class="a-suggestion"
                  disabled={!isReady}
                  onClick={() => onSuggestion(text)}
                >
                  {text}
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}
