/**
 * @fileoverview Text of a question.
 * @module cli/page-app/views/questions/question-text
 */
import { stripControls } from "@tenon/internal/text";

const MAX_TEXT = 10_000;

/** Text of a server for the user. It is shown as plain text, because a server must not imitate the page. */
export function QuestionText({ text }: { readonly text: string }) {
  return <p class="p-question__text">{stripControls(text.slice(0, MAX_TEXT))}</p>;
}
