/**
 * @fileoverview Questions of the server: a card for each, the area with all of them, and the panel that shows the first one.
 * @module cli/page-app/views/questions/questions-view
 */
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import { Note } from "@tenon/ui/components/controls/badge.js";
import { formatClock, formatQuantity } from "@tenon/ui/support/format.js";
import { useEffect, useRef, useState } from "preact/hooks";
import { useApp } from "../../app-context.js";
import type { JsonObject } from "@tenon/internal/json";
import type { Question } from "../../../src/page/protocol.js";
import { describeFailure } from "../../backend/requests.js";
import { EraBadge } from "../../components/badges.js";
import { RouteLink } from "../../components/links.js";
import { callLabel } from "../../state/calls/call-facts.js";
import { FormQuestion, RootsQuestion, SamplingQuestion, UrlQuestion } from "./answer-form.js";
import { Button } from "@tenon/ui/components/controls/button.js";
import { Icon } from "@tenon/ui/icons/icon.js";
import { useShortcut } from "../../components/hooks.js";
import { readText, toLabel } from "../../state/text.js";

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

/** Properties of the controls of a question. */
interface QuestionCardProps {
  readonly question: Question;
}

const TITLES: Readonly<Record<Question["method"], string>> = {
  "elicitation/create": "The server asks you",
  "sampling/createMessage": "The server asks for the response of a model",
  "roots/list": "The server asks for your roots",
};

/** Question with its controls, and a link to its call. */
export function QuestionCard({ question }: QuestionCardProps) {
  const { commands, questionDrafts, store } = useApp();
  const [failure, setFailure] = useState<string>();
  const [isSending, setIsSending] = useState(false);
  const answer = async (value: JsonObject) => {
    setIsSending(true);
    setFailure(undefined);
    try {
      await commands.run("answer", { id: question.id, answer: value });
    } catch (error) {
      setFailure(describeFailure(error));
    } finally {
      setIsSending(false);
    }
  };
  const draft = questionDrafts.get(question);
  const shared = { question, isSending, onAnswer: (value: JsonObject) => void answer(value) };
  const call = question.callId === undefined ? undefined : store.calls.value.get(question.callId);
  return (
    <article class="p-question" aria-label={TITLES[question.method]}>
      <div class="p-question__head">
        <h3>{TITLES[question.method]}</h3>
        <EraBadge era={question.era} />
        <span class="t-quiet">{formatClock(question.at).slice(0, 8)}</span>
        {question.callId !== undefined && (
          <RouteLink to={{ area: "calls", id: question.callId }}>
            {call === undefined ? "Open the call" : `Call of ${callLabel(call)}`}
          </RouteLink>
        )}
      </div>
      {draft.kind === "form" && <FormQuestion {...shared} form={draft.form} />}
      {draft.kind === "url" && <UrlQuestion {...shared} url={draft.url} />}
      {draft.kind === "sampling" && <SamplingQuestion {...shared} text={draft.text} model={draft.model} />}
      {draft.kind === "roots" && <RootsQuestion {...shared} roots={draft.roots} />}
      {failure !== undefined && (
        <Note tone="danger" isLive>
          {failure}
        </Note>
      )}
    </article>
  );
}

/** Panel with the oldest open question. */
export function QuestionPanel() {
  const { store, router } = useApp();
  const panel = useRef<HTMLElement>(null);
  const [hiddenId, setHiddenId] = useState<string>();
  const questions = store.questions.value;
  const [first] = questions.values();
  useShortcut({
    keys: "s q",
    title: "Show the question of the server",
    run: () => {
      setHiddenId(undefined);
      // The panel is rendered before the next frame.
      requestAnimationFrame(() => focusFirst(panel.current));
    },
  });
  const isInArea = router.route.value.area === "questions";
  const isHidden = first !== undefined && hiddenId === first.id;
  return (
    <>
      <div class="t-hidden" role="status">
        {first === undefined ? "" : `The server asks a question: ${summaryOf(first)}`}
      </div>
      {first !== undefined && !isInArea && (
        <aside class="p-panel" aria-label="Question of the server" ref={panel}>
          <div class="p-panel__bar">
            <Icon name="question" />
            <h2>{formatQuantity(questions.size, "open question")}</h2>
            {isHidden && <span class="p-panel__summary">{summaryOf(first)}</span>}
            <span class="p-panel__buttons">
              {questions.size > 1 && (
                <Button tone="quiet" onClick={() => router.go({ area: "questions" })}>
                  Show all
                </Button>
              )}
              <Button
                tone={isHidden ? "primary" : "quiet"}
                icon={isHidden ? "chevron-up" : "chevron-down"}
                onClick={() => setHiddenId(isHidden ? undefined : first.id)}
              >
                {isHidden ? "Answer" : "Later"}
              </Button>
            </span>
          </div>
          {!isHidden && (
            <div class="p-panel__body">
              <QuestionCard key={first.id} question={first} />
            </div>
          )}
        </aside>
      )}
    </>
  );
}

function focusFirst(panel: HTMLElement | null): void {
  panel?.querySelector<HTMLElement>(".p-panel__body :is(input, textarea, select, button)")?.focus();
}

function summaryOf({ method, params }: Question): string {
  if (method === "elicitation/create") return toLabel(readText(params, "message") ?? "", 120);
  return method === "roots/list" ? "List your roots" : "Write the response of a model";
}
