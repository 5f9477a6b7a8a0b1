/**
 * @fileoverview Parts of a task, each a task of its own: begun together, and told of to those who watch the whole.
 * @module agent/conversation/run-parts
 */
import { randomUUID } from "node:crypto";
import type { ServerMessage } from "../../messages/built-in-messages.js";
import type { RunSubtasks, TaskPart } from "../context/built-in-tools.js";
import type { Ending } from "./run-task.js";
import type { Task } from "./task.js";
import { type Transcript, toShown } from "../context/transcript.js";

/** What parts are run with. */
export interface PartRunner {
  /** The task that has the parts. */
  readonly find: (taskId: string) => Task | undefined;
  /** Makes a task of a part and runs it to its end. */
  readonly run: (
    part: { readonly taskId: string; readonly parentTaskId: string; readonly text: string },
    signal: AbortSignal,
  ) => Promise<{ readonly ending: Ending; readonly transcript: Transcript }>;
}

/** Makes what runs the parts of tasks. */
export function createRunSubtasks({ find, run }: PartRunner): RunSubtasks {
  return (parts, parentTaskId) => {
    const parent = find(parentTaskId);
    const whole = parent?.transcript;
    const signal = parent?.signal ?? AbortSignal.abort();
    const runOne = async ({ index, target }: TaskPart) => {
      const taskId = randomUUID();
      const tell = async (taskStatus: string) => {
        const data = { index, taskId, parentTaskId, taskStatus };
        const message: ServerMessage = { type: "assignTaskUpdated", data };
        // A full disk must not leave parts behind that nobody waits for.
        await whole?.keep({ shown: toShown(message) }).catch(() => undefined);
        whole?.say(message);
      };
      await tell("running");
      const outcome = await run({ taskId, parentTaskId, text: target }, signal).catch(() => undefined);
      const isDone = outcome?.ending === "completed" || outcome?.ending === "answered";
      await tell(
        isDone ? "completed" : outcome?.ending === "interrupted" || signal.aborted ? "interrupted" : "failed",
      );
      if (outcome !== undefined && isDone) return { ok: true, text: finalText(outcome.transcript) };
      return { ok: false, text: `This part ended early: ${outcome?.ending ?? "error"}` };
    };
    return Promise.all(parts.map(runOne));
  };
}

/** What a task came to: its result, or else the last that was said in it. */
function finalText(transcript: Transcript): string {
  return transcript.lastShown(["completionResult", "message"]) ?? "";
}
