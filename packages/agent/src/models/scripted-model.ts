/**
 * @fileoverview Model with scripted responses, for tests and demos.
 * @module agent/models/scripted-model
 */
import { type Ports, withPorts } from "@tenon/internal/ports";
import type { ModelConversation, ModelPiece, ModelPort } from "./model-port.js";
import { pause, toStoppable } from "./waiting.js";

/** Scripted response: text that is split into pieces, or the pieces themselves, such as files and a finish reason. */
export type ScriptedAnswer = string | readonly ModelPiece[];

/** Responses in order, or a function that returns the response for a conversation. */
export type ModelScript = readonly ScriptedAnswer[] | ((conversation: ModelConversation) => ScriptedAnswer);

/** Options for `createScriptedModel`. */
export interface ScriptedModelOptions {
  /**
   * Number of characters per text piece.
   * @default 16
   */
  readonly pieceChars?: number;
  /**
   * Delay between two pieces, in milliseconds.
   * @default 0
   */
  readonly delayMs?: number;
  /**
   * Format of tool calls in the responses.
   * @default "xml"
   */
  readonly toolCalls?: "xml" | "native";
  /** Number of tokens that a conversation and its response may have. @default unknown */
  readonly contextWindow?: number;
  /** Timers. Replaced in tests. */
  readonly ports?: Partial<Ports>;
}

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
  const { pieceChars = 16, delayMs = 0, toolCalls = "xml", contextWindow } = options;
  if (!(pieceChars >= 1)) throw new Error(`\`pieceChars\` must be at least 1; got ${pieceChars}.`);
  if (!(delayMs >= 0 && delayMs <= MAX_TIMER))
    throw new Error(`\`delayMs\` must be a number from 0 to ${MAX_TIMER} (milliseconds); got ${delayMs}.`);
  if (contextWindow !== undefined && !(Number.isSafeInteger(contextWindow) && contextWindow >= 1))
    throw new Error(`\`contextWindow\` must be a positive integer; got ${contextWindow}.`);
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
  return Object.assign(model, { toolCalls, ...(contextWindow === undefined ? {} : { contextWindow }) });
}

const MAX_TIMER = 2_147_483_647;

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
