/**
 * @fileoverview Question with a form.
 * @module cli/page-app/views/questions/form-question
 */
import { isJsonObject } from "@tenon/internal/json";
import { Button } from "@tenon/ui/components/controls/button.js";
import type { FormStore } from "@tenon/ui/form/form-store.js";
import { SchemaForm } from "@tenon/ui/form/schema-form.js";
import { checkAnswer } from "../../state/forms/check-answer.js";
import { readText } from "../../state/text.js";
import type { AnswerProps } from "./answer-props.js";
import { QuestionText } from "./question-text.js";

/** Form with buttons to accept, decline, and cancel. */
export function FormQuestion({
  question,
  form,
  isSending,
  onAnswer,
}: AnswerProps & { readonly form: FormStore }) {
  const { params } = question;
  const accept = () => {
    if (form.isIncomplete.peek()) return;
    const value = form.value.peek();
    const problems = checkAnswer(params["requestedSchema"], value);
    form.setProblems(problems);
    if (problems.length === 0 && isJsonObject(value)) onAnswer({ action: "accept", content: value });
  };
  return (
    <form
      class="p-question__form"
      aria-label="Answer"
      onSubmit={(event) => {
        event.preventDefault();
        accept();
      }}
    >
      <QuestionText text={readText(params, "message") ?? ""} />
      <SchemaForm store={form} label="Answer" />
      <div class="p-call__buttons">
        <Button tone="primary" icon="check" type="submit" isBusy={isSending}>
          Accept
        </Button>
        <Button onClick={() => onAnswer({ action: "decline" })}>Decline</Button>
        <Button tone="quiet" onClick={() => onAnswer({ action: "cancel" })}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
