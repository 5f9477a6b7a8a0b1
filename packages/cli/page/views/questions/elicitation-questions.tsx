/**
 * @fileoverview Questions for the user: a form, and a URL of another site.
 * @module cli/page-app/views/questions/elicitation-questions
 */
import { isJsonObject } from "@tenon/internal/json";
import { Note } from "@tenon/ui/components/controls/badge.js";
import type { FormStore } from "@tenon/ui/form/form-store.js";
import { SchemaForm } from "@tenon/ui/form/schema-form.js";
import { safeUrl } from "@tenon/ui/support/safe-url.js";
import { UntrustedLink } from "../../components/links.js";
import { checkAnswer } from "../../state/forms/check-answer.js";
import { toLabel } from "../../state/text.js";
import { AnswerForm, type AnswerProps } from "./answer-form.js";

/** Question with a form. */
export function FormQuestion({ form, ...props }: AnswerProps & { readonly form: FormStore }) {
  const accept = () => {
    if (form.isIncomplete.peek()) return;
    const value = form.value.peek();
    const problems = checkAnswer(props.question.params["requestedSchema"], value);
    form.setProblems(problems);
    if (problems.length === 0 && isJsonObject(value)) props.onAnswer({ action: "accept", content: value });
  };
  return (
    <AnswerForm {...props} label="Answer" onSubmit={accept}>
      <SchemaForm store={form} label="Answer" />
    </AnswerForm>
  );
}

/** URL as text, and a link that opens it. Nothing is opened without a click. */
export function UrlQuestion({ url, ...props }: AnswerProps & { readonly url: string }) {
  const safe = safeUrl(url);
  return (
    <AnswerForm {...props} label="Answer" onSubmit={() => props.onAnswer({ action: "accept" })}>
      <p>The server wants you to open this URL. Check that you trust the site before you open it.</p>
      <p>
        <code class="p-wrap">{toLabel(url, 2_000)}</code>
      </p>
      {safe === undefined ? (
        <Note tone="danger">The page does not open this URL, because it is not a web address.</Note>
      ) : (
        <p>
          <UntrustedLink url={safe}>Open {new URL(safe).host}</UntrustedLink>
        </p>
      )}
    </AnswerForm>
  );
}
