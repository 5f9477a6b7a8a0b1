/**
 * @fileoverview A model that follows a script, for tests and demonstrations.
 * @module agent/models/scripted-model
 */
import { type Ports, withPorts } from "@tenon/internal/ports";
import type { ModelConversation, ModelPiece, ModelPort } from "./model-port.js";
import { pause, toStoppable } from "./waiting.js";

/** An answer: text, which is split into pieces, or a list of pieces. */
export type ScriptedAnswer = string | readonly ModelPiece[];

/** A list of answers, or a function that returns them. */
export type ModelScript = readonly ScriptedAnswer[] | ((conversation: ModelConversation) => ScriptedAnswer);

/** Options of a scripted model. */
export interface ScriptedModelOptions {
  /**
   * Number of characters per piece of text.
   * @default 16
   */
  readonly pieceChars?: number;
  /**
   * Milliseconds between two pieces.
   * @default 0
   */
  readonly delayMs?: number;
  /**
   * Format of tool calls in the answers.
   * @default "xml"
   */
  readonly toolCalls?: "xml" | "native";
  /** Timers, for tests. */
  readonly ports?: Partial<Ports>;
}

/**
 * Creates a model from a script. It is stateless: the number of answers in the conversation selects the next one,
 * so it continues correctly after a restart. The last answer is repeated.
 *
 * @throws if the script is empty or an option is invalid
 *
 * @example createScriptedModel(["<search><query>cats</query></search>", "There are 3 cats."])
 */
export function createScriptedModel(script: ModelScript, options: ScriptedModelOptions = {}): ModelPort {
  const { pieceChars = 16, delayMs = 0, toolCalls = "xml" } = options;
  if (!(pieceChars >= 1)) throw new Error(`\`pieceChars\` must be at least 1; got ${pieceChars}.`);
  if (!(delayMs >= 0 && delayMs <= MAX_TIMER))
    throw new Error(`\`delayMs\` must be from 0 to ${MAX_TIMER}; got ${delayMs}.`);
  const answerTo = typeof script === "function" ? script : toAnswers([...script]);
  const ports = withPorts(options.ports);
  const speak = async function* (conversation: ModelConversation, signal: AbortSignal) {
    const answer = answerTo(conversation);
    const pieces = typeof answer === "string" ? cutText(answer, pieceChars) : answer;
    let isFirst = true;
    for (const piece of pieces) {
      if (!isFirst && delayMs > 0) await pause(delayMs, signal, ports);
      isFirst = false;
      yield piece;
    }
  };
  const model = (conversation: ModelConversation, signal: AbortSignal) =>
    toStoppable(signal, (inner) => speak(conversation, inner));
  return Object.assign(model, { toolCalls });
}

const MAX_TIMER = 2_147_483_647;

function toAnswers(answers: readonly ScriptedAnswer[]): (conversation: ModelConversation) => ScriptedAnswer {
  const last = answers.at(-1);
  if (last === undefined) throw new Error("`script` must contain at least one answer.");
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
