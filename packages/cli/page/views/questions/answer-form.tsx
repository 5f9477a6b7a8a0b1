/**
 * @fileoverview Form that answers a question of the server.
 * @module cli/page-app/views/questions/answer-form
 */
import type { JsonObject } from "@tenon/internal/json";
import { stripControls } from "@tenon/internal/text";
import { Button } from "@tenon/ui/components/controls/button.js";
import { insteadOfDefault } from "@tenon/ui/support/events.js";
import type { ComponentChildren } from "preact";
import type { Question } from "../../../src/page/protocol.js";
import { readText } from "../../state/text.js";

/** Properties of the controls of a question. */
export interface AnswerProps {
  readonly question: Question;
  /** True while an answer is sent. */
  readonly isSending: boolean;
  readonly onAnswer: (answer: JsonObject) => void;
}

/** Properties of `AnswerForm`. */
export interface AnswerFormProps extends AnswerProps {
  readonly label: string;
  readonly onSubmit: () => void;
  /** Label of the button that sends the answer. @default "Accept" */
  readonly submitLabel?: string | undefined;
  /** Button before the one that sends the answer. */
  readonly firstButton?: ComponentChildren;
  readonly children: ComponentChildren;
}

const MAX_TEXT = 10_000;

/** Text and controls of a question, with buttons to send the answer or to reject the question. */
export function AnswerForm({ question, isSending, onAnswer, label, onSubmit, ...props }: AnswerFormProps) {
  const isElicitation = question.method === "elicitation/create";
  const text = readText(question.params, "message") ?? "";
  return (
    <form class="p-question__form" aria-label={label} onSubmit={insteadOfDefault(onSubmit)}>
      {/* Plain text, because a server must not imitate the page. */}
      {isElicitation && <p class="p-question__text">{stripControls(text.slice(0, MAX_TEXT))}</p>}
      {props.children}
      <div class="p-call__buttons">
        {props.firstButton}
        <Button tone="primary" icon="check" type="submit" isBusy={isSending}>
          {props.submitLabel ?? "Accept"}
        </Button>
        <Button onClick={() => onAnswer({ action: "decline" })}>
          {isElicitation ? "Decline" : "Reject the request"}
        </Button>
        {isElicitation && (
          <Button tone="quiet" onClick={() => onAnswer({ action: "cancel" })}>
            Cancel
          </Button>
        )}
      </div>
    </form>
  );
}
