/**
 * @fileoverview Runs a task's subtasks in parallel and reports their progress to clients that watch the parent task.
 * @module agent/conversation/tasks/run-subtasks
 */
import { randomUUID } from "node:crypto";
import type { ServerMessage } from "../../messages/built-in-messages.js";
import type { RunSubtasks, Subtask } from "../context/built-in-tools.js";
import type { Ending } from "./run-task.js";
import type { Task } from "./task.js";
import type { AgentUser } from "../../users/user.js";
import { type Transcript, toShown } from "../context/transcript.js";

/** Subtask that is about to run. */
export interface SubtaskRun {
  readonly taskId: string;
  readonly parent: Transcript;
  readonly text: string;
  /** User whose message caused the run of the parent. */
  readonly user: AgentUser | undefined;
}

/** Functions that find and run tasks. */
export interface SubtaskRunner {
  /** Finds the parent task. */
  readonly find: (taskId: string) => Task | undefined;
  /** Creates a subtask and runs it until it ends. */
  readonly run: (
    subtask: SubtaskRun,
    signal: AbortSignal,
  ) => Promise<{
    readonly ending: Ending;
    readonly transcript: Transcript;
  }>;
}

/** Creates the function that runs a task's subtasks. */
export function createRunSubtasks({ find, run }: SubtaskRunner): RunSubtasks {
  return (subtasks, { taskId: parentTaskId, user }) => {
    const parent = find(parentTaskId);
    if (parent?.signal === undefined) throw new Error("Subtasks can run only while their parent task runs.");
    const { transcript, signal } = parent;
    const runOne = async ({ index, target }: Subtask) => {
      const taskId = randomUUID();
      const report = async (taskStatus: string) => {
        const data = { index, taskId, parentTaskId, taskStatus };
        const message: ServerMessage = { type: "assignTaskUpdated", data };
        // Ignore storage errors, such as a full disk: they must not abort the call while other subtasks run.
        await transcript.keep({ shown: toShown(message) }).catch(() => undefined);
        transcript.send(message);
      };
      await report("running");
      const subtask = { taskId, parent: transcript, text: target, user };
      const outcome = await run(subtask, signal).catch(() => undefined);
      const isDone = outcome?.ending === "completed" || outcome?.ending === "answered";
      await report(
        isDone ? "completed" : outcome?.ending === "interrupted" || signal.aborted ? "interrupted" : "failed",
      );
      if (outcome !== undefined && isDone) return { ok: true, text: finalText(outcome.transcript) };
      return { ok: false, text: `The subtask did not complete (reason: ${outcome?.ending ?? "error"}).` };
    };
    return Promise.all(subtasks.map(runOne));
  };
}

/** Returns a task's final text: its result, or else its last message. */
function finalText(transcript: Transcript): string {
  return transcript.lastShown(["completionResult", "message"]) ?? "";
}
