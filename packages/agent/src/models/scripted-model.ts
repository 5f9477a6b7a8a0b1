/**
 * @fileoverview A model that says what it was told to say: for tests and demonstrations.
 * @module agent/models/scripted-model
 */
import { type Ports, withPorts } from "@tenon/internal/ports";
import type { ModelConversation, ModelPiece, ModelPort } from "./model-port.js";
import { pause, toStoppable } from "./waiting.js";

/** An answer: a text, which is cut into pieces, or the pieces themselves. */
export type ScriptedAnswer = string | readonly ModelPiece[];

/** Answers one by one, or a function that makes them up. */
export type ModelScript = readonly ScriptedAnswer[] | ((conversation: ModelConversation) => ScriptedAnswer);

/** How a scripted model speaks. */
export interface ScriptedModelOptions {
  /**
   * Characters of each piece that a text is cut into.
   * @default 16
   */
  readonly pieceChars?: number;
  /**
   * Milliseconds between two pieces.
   * @default 0
   */
  readonly delayMs?: number;
  /**
   * How the answers call tools.
   * @default "xml"
   */
  readonly toolCalls?: "xml" | "native";
  /** Timers, for tests. */
  readonly ports?: Partial<Ports>;
}

/**
 * Makes a model from a script. It remembers nothing: how many answers a conversation has already tells which is next,
 * so it goes on where it was after a restart. The last answer is given again and again.
 *
 * @example createScriptedModel(["<search><query>cats</query></search>", "There are 3 cats."])
 * @throws where the script is empty or an option is wrong
 */
export function createScriptedModel(script: ModelScript, options: ScriptedModelOptions = {}): ModelPort {
  const { pieceChars = 16, delayMs = 0, toolCalls = "xml" } = options;
  if (!(pieceChars >= 1)) throw new Error("pieceChars must be at least 1");
  if (!(delayMs >= 0 && delayMs <= MAX_TIMER)) throw new Error(`delayMs must be from 0 to ${MAX_TIMER}`);
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
  if (last === undefined) throw new Error("A script needs at least one answer");
  return ({ messages }) => answers[messages.filter(({ role }) => role === "assistant").length] ?? last;
}

/** Cuts a text, but no character in two. */
function* cutText(text: string, pieceChars: number): Generator<string> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + Math.floor(pieceChars);
    if (/^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(end - 1, end + 1))) end++;
    yield text.slice(start, end);
  }
}
