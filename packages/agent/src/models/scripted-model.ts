/**
 * @fileoverview Model with scripted responses, for tests and demos.
 * @module agent/models/scripted-model
 */
import { defineOptions, type OptionsOf, parseOptions } from "@tenon/internal/options/define-options";
import { number, oneOf } from "@tenon/internal/options/option-rows";
import { withPorts } from "@tenon/internal/ports";
import { MAX_TIMER } from "../shared/max-timer.js";
import { MODEL_ROWS } from "./model-options.js";
import type { ModelConversation, ModelPiece, ModelPort } from "./model-port.js";
import { pause, toStoppable } from "./waiting.js";

/** Scripted response: text that is split into pieces, or the pieces themselves, such as files and a finish reason. */
export type ScriptedAnswer = string | readonly ModelPiece[];

/** Responses in order, or a function that returns the response for a conversation. */
export type ModelScript = readonly ScriptedAnswer[] | ((conversation: ModelConversation) => ScriptedAnswer);

/** Options for `createScriptedModel`. */
export const SCRIPTED_MODEL_OPTIONS = /* @__PURE__ */ defineOptions("createScriptedModel", {
  /**
   * Number of characters per text piece.
   * @default 16
   */
  pieceChars: number({ default: 16, min: 1, max: 1_000_000_000 }),
  /**
   * Delay between two pieces, in milliseconds.
   * @default 0
   */
  delayMs: number({ default: 0, max: MAX_TIMER, aliases: ["delay"] }),
  /**
   * Format of tool calls in the responses.
   * @default "xml"
   */
  toolCalls: oneOf(["xml", "native"], { default: "xml" }),
  ...MODEL_ROWS,
});

/** Options for `createScriptedModel`. */
export interface ScriptedModelOptions extends OptionsOf<typeof SCRIPTED_MODEL_OPTIONS> {}

/**
 * Creates a model from a script. The model is stateless: the number of model messages in the conversation selects the
 * next response, so a conversation continues correctly after a restart. After the end of the script, the last response
 * repeats.
 *
 * @throws if the script is empty or an option is invalid
 *
 * @example createScriptedModel(["<search><query>cats</query></search>", "There are 3 cats."])
 */
export function createScriptedModel(script: ModelScript, options: ScriptedModelOptions = {}): ModelPort {
  const settings = parseOptions(SCRIPTED_MODEL_OPTIONS, options);
  const { pieceChars, delayMs, toolCalls, contextWindow } = settings;
  const answerTo = typeof script === "function" ? script : toAnswers([...script]);
  const ports = withPorts(settings.ports);
  const speak = async function* (conversation: ModelConversation, signal: AbortSignal) {
    const answer = answerTo(conversation);
    const pieces = typeof answer === "string" ? cutText(answer, pieceChars) : answer;
    for (const [index, piece] of [...pieces].entries()) {
      if (index > 0 && delayMs > 0) await pause(delayMs, signal, ports);
      yield piece;
    }
  };
  const model = (conversation: ModelConversation, signal: AbortSignal) =>
    toStoppable(signal, (inner) => speak(conversation, inner));
  return Object.assign(model, { toolCalls, contextWindow });
}

function toAnswers(answers: readonly ScriptedAnswer[]): (conversation: ModelConversation) => ScriptedAnswer {
  const last = answers.at(-1);
  if (last === undefined) throw new Error("`script` must contain at least one response; got an empty array.");
  return ({ messages }) => answers[messages.filter(({ role }) => role === "assistant").length] ?? last;
}

/** Splits a text into pieces without splitting surrogate pairs. */
function* cutText(text: string, pieceChars: number): Generator<string> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + Math.floor(pieceChars);
    if (/^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(end - 1, end + 1))) end++;
    yield text.slice(start, end);
  }
}
