/**
 * @fileoverview Properties that the controls of all questions share.
 * @module cli/page-app/views/questions/answer-props
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Question } from "../../../src/page/protocol.js";

/** Properties of the controls of a question. */
export interface AnswerProps {
  readonly question: Question;
  /** True while an answer is sent. */
  readonly isSending: boolean;
  readonly onAnswer: (answer: JsonObject) => void;
}
