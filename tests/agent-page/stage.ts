import type { ModelConversation, ModelPort } from "../../packages/agent/src/models/model-port.js";
import { answer as demoAnswer } from "../../examples/agent/script.js";

/** Where the model waits until the test lets it go on. */
export const PAUSE = "⏸";

/** A model that speaks when the test says so: what users see of a stream does not hang on how fast a machine is. */
export interface Stage {
  readonly model: ModelPort;
  /** Lets the model go on: the one that waits now, or else the next one that comes to a pause. */
  readonly proceed: () => void;
}

/** Makes a stage: what the user writes picks the answer, and other words are answered as in the demonstration. */
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
