/**
 * @fileoverview Bar above the input after a run that has not ended normally.
 * @module agent/page-app/views/conversation/next-step-bar
 */
import { Button } from "@tenon/ui/components/controls/button.js";
import { Icon } from "@tenon/ui/icons/icon.js";
import { TONE_ICONS } from "@tenon/ui/components/controls/badge.js";
import { useApp } from "../../app-context.js";
import { useRequest } from "../../components/hooks.js";
import { nextStepOf } from "../../state/endings.js";

/** Says how the last run has ended, and offers to continue it. */
export function NextStepBar({ onAgain }: { readonly onAgain: () => void }) {
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
