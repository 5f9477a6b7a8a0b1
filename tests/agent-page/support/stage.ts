/**
 * @fileoverview Model that a test controls.
 * @module tests/agent-page/support/stage
 */
import type { ModelConversation, ModelPort } from "../../../packages/agent/src/models/model-port.js";
import { answer as demoAnswer } from "../../../examples/agent/script.js";

/** Marker at which the model waits until the test continues. */
export const PAUSE = "⏸";

/** Model that the test controls, so that streams do not depend on the speed of the machine. */
export interface Stage {
  readonly model: ModelPort;
  /** Continues the waiting model, or the next one that reaches a pause. */
  readonly proceed: () => void;
}

/** Creates a stage. The user's message selects the response. Other messages receive the demo model's responses. */
export function createStage(answers: Readonly<Record<string, string>>): Stage {
  let tickets = 0;
  const waiting: (() => void)[] = [];
  const pause = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (tickets > 0) {
        tickets--;
        resolve();
        return;
      }
      waiting.push(resolve);
      signal.addEventListener(
        "abort",
        () => {
          const index = waiting.indexOf(resolve);
          if (index !== -1) waiting.splice(index, 1);
          reject(signal.reason as Error);
        },
        { once: true },
      );
    });
  return {
    async *model(conversation, signal) {
      const [first = "", ...rest] = answerTo(conversation, answers).split(PAUSE);
      yield* pieces(first);
      for (const text of rest) {
        await pause(signal);
        yield* pieces(text);
      }
    },
    proceed() {
      const next = waiting.shift();
      if (next === undefined) tickets++;
      else next();
    },
  };
}

function answerTo(conversation: ModelConversation, answers: Readonly<Record<string, string>>): string {
  const last = conversation.messages.at(-1);
  return (last?.role === "user" ? answers[last.content] : undefined) ?? demoAnswer(conversation);
}

function* pieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += 12) yield text.slice(at, at + 12);
}
