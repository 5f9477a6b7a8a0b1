/**
 * @fileoverview Area with all open questions.
 * @module cli/page-app/views/questions/questions-view
 */
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import { Note } from "@tenon/ui/components/controls/badge.js";
import { formatQuantity } from "@tenon/ui/support/format.js";
import { useEffect, useRef } from "preact/hooks";
import { useApp } from "../../app-context.js";
import { QuestionCard } from "./question-card.js";

const MAX_SHOWN = 20;

/** Area with all open questions. */
export function QuestionsView() {
  const { store, router } = useApp();
  const { id } = router.route.value;
  const list = useRef<HTMLUListElement>(null);
  const questions = [...store.questions.value.values()];
  // The question of the URL comes first, so that a link to it always shows it.
  const sorted = questions.toSorted((a, b) => Number(b.id === id) - Number(a.id === id));
  useEffect(() => {
    if (id !== undefined)
      list.current?.querySelector<HTMLElement>("input, textarea, select, button")?.focus();
  }, [id]);
  if (questions.length === 0) {
    return (
      <EmptyState title="No open questions" icon="question">
        <p>
          If the server asks for an input, for the response of a model, or for roots, the question appears
          here and at the bottom of the page.
        </p>
      </EmptyState>
    );
  }
  return (
    <div class="p-scroll">
      <h2 class="p-view-title">{formatQuantity(questions.length, "open question")}</h2>
      <ul class="p-questions" ref={list}>
        {sorted.slice(0, MAX_SHOWN).map((question) => (
          <li key={question.id}>
            <QuestionCard question={question} />
          </li>
        ))}
      </ul>
      {questions.length > MAX_SHOWN && (
        <Note>
          {formatQuantity(questions.length - MAX_SHOWN, "more question")}. Answer some of these first.
        </Note>
      )}
    </div>
  );
}
