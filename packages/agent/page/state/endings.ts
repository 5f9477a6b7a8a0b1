/**
 * @fileoverview Ends of runs: their texts, and what the user can do next.
 * @module agent/page-app/state/endings
 */
import type { RunEnding, TaskState } from "@tenon/agent/client";

/** Next step that the page offers after a run that has not ended normally. */
export interface NextStep {
  readonly text: string;
  readonly tone: "info" | "warning" | "danger";
  /** `resume` continues the run. `again` sends the last message again. */
  readonly action: "resume" | "again";
}

const STEPS: Readonly<Partial<Record<RunEnding, NextStep>>> = {
  interrupted: { text: "The run was stopped.", tone: "info", action: "resume" },
  error: { text: "The run ended with an error.", tone: "danger", action: "resume" },
  stepLimit: { text: "The run reached its limit of responses.", tone: "warning", action: "resume" },
  length: { text: "The response reached its maximum length.", tone: "warning", action: "resume" },
  budget: { text: "The run reached its limit of tokens.", tone: "warning", action: "resume" },
  filtered: {
    text: "The provider’s content filter ended the response.",
    tone: "warning",
    action: "again",
  },
  blocked: { text: "A rule of the server ended the run.", tone: "warning", action: "again" },
};

/** Returns the next step after the last run, or `undefined` if there is nothing special to do. */
export function nextStepOf(task: TaskState): NextStep | undefined {
  if (task.isRunning || task.isLoading) return undefined;
  // The cards of the calls offer the decisions.
  if (task.approvals.length > 0) return undefined;
  const reason = task.lastReason ?? reasonOf(task.status);
  return reason && STEPS[reason];
}

/** Returns the reason of a run whose end the page has not seen. */
function reasonOf(status: TaskState["status"]): RunEnding | undefined {
  if (status === "aborted") return "interrupted";
  return status === "error" ? "error" : undefined;
}

/** Returns the last message of the user that the server has stored. */
export function lastSent({ messages }: TaskState) {
  const last = messages.findLast(({ type }) => type === "userSendMessage");
  return last?.type === "userSendMessage" && last.delivery === undefined ? last.data : undefined;
}
