/**
 * @fileoverview Question of the server with the controls to answer it.
 * @module cli/page-app/views/questions/question-card
 */
import { Note } from "@tenon/ui/components/controls/badge.js";
import { formatClock } from "@tenon/ui/support/format.js";
import type { JsonObject } from "@tenon/internal/json";
import { useState } from "preact/hooks";
import type { Question } from "../../../src/page/protocol.js";
import { useApp } from "../../app-context.js";
import { describeFailure } from "../../backend/requests.js";
import { EraBadge } from "../../components/badges.js";
import { RouteLink } from "../../components/links.js";
import { callLabel } from "../../state/calls/call-facts.js";
import { FormQuestion, UrlQuestion } from "./elicitation-questions.js";
import { RootsQuestion } from "./roots-question.js";
import { SamplingQuestion } from "./sampling-question.js";

/** Properties of the controls of a question. */
export interface QuestionCardProps {
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
