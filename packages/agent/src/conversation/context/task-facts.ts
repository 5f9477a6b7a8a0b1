/**
 * @fileoverview Facts about a task, built from log entries: approvals and token counts.
 * @module agent/conversation/context/task-facts
 */
import type { ModelUsage } from "../../models/model-port.js";
import type { ApprovalAsked, ApprovalGiven, TaskEntry } from "../../storage/task-entry.js";

/** Facts about a task. Logs of earlier versions have none. */
export class TaskFacts {
  readonly #asked = new Map<string, ApprovalAsked>();
  readonly #decisions = new Map<string, ApprovalGiven>();
  /** Tools and users for `isAlwaysApproved`. */
  readonly #alwaysApproved = new Set<string>();
  #usage: ModelUsage = {};
  #contextTokens: number | undefined;
  #ending: string | undefined;

  constructor(entries: readonly TaskEntry[]) {
    for (const entry of entries) this.add(entry);
  }

  /** Calls of the last response for which approval was asked, in order. */
  get approvals(): readonly ApprovalAsked[] {
    return [...this.#asked.values()];
  }

  /** Calls that wait for a decision, in the order in which they were asked. */
  get openApprovals(): readonly ApprovalAsked[] {
    return this.approvals.filter(({ approvalId }) => !this.#decisions.has(approvalId));
  }

  /** Tokens of all responses. */
  get usage(): ModelUsage {
    return this.#usage;
  }

  /** Length of the conversation after the last response, in tokens. `undefined` if it is not known. */
  get contextTokens(): number | undefined {
    return this.#contextTokens;
  }

  /** Reason for the end of the last run, if it did not end well. */
  get ending(): string | undefined {
    return this.#ending;
  }

  /** Returns true if calls to a tool are approved for the rest of the task, in runs of a user. */
  isAlwaysApproved(toolName: string, userId: string | undefined): boolean {
    return this.#alwaysApproved.has(toKey(toolName, userId));
  }

  /** Returns the decision about a call. The first decision counts. */
  decisionOn(approvalId: string): ApprovalGiven | undefined {
    return this.#decisions.get(approvalId);
  }

  /** Adds the next entry of the log. */
  add(entry: TaskEntry): void {
    const { model, approvalAsked, approvalGiven, approvalCancelled, usage, compaction } = entry;
    // Approvals belong to the calls of one response.
    if (model !== undefined && model.role !== "tool") this.#forgetApprovals();
    if (entry.ending !== undefined) this.#ending = entry.ending;
    else if (entry.status !== undefined) this.#ending = undefined;
    if (approvalAsked !== undefined) this.#asked.set(approvalAsked.approvalId, approvalAsked);
    if (approvalCancelled !== undefined) this.#asked.delete(approvalCancelled.approvalId);
    if (approvalGiven !== undefined) this.#decide(approvalGiven);
    const { userId: _, ...counts } = usage ?? {};
    this.#usage = addUsage(this.#usage, counts);
    // After a compaction, the length is not known until the next response. The tokens are those of the summary's request.
    if (compaction !== undefined) this.#contextTokens = undefined;
    else if (usage !== undefined) this.#contextTokens = totalTokens(counts) || undefined;
  }

  #decide(given: ApprovalGiven): void {
    const call = this.#asked.get(given.approvalId);
    // Several clients can decide at the same time. Only the first decision counts.
    if (call === undefined || this.#decisions.has(given.approvalId)) return;
    this.#decisions.set(given.approvalId, given);
    if (given.decision === "always") this.#alwaysApproved.add(toKey(call.toolName, call.userId));
  }

  #forgetApprovals(): void {
    this.#asked.clear();
    this.#decisions.clear();
  }
}

/** Returns the key of a tool and a user. Names of tools do not contain spaces. */
function toKey(toolName: string, userId = ""): string {
  return `${toolName} ${userId}`;
}

/** Adds token counts. A count that both sides lack stays missing. */
export function addUsage(one: ModelUsage, other: ModelUsage): ModelUsage {
  const sum: { -readonly [Name in keyof ModelUsage]: ModelUsage[Name] } = {};
  for (const name of COUNTS) {
    if (one[name] !== undefined || other[name] !== undefined)
      sum[name] = (one[name] ?? 0) + (other[name] ?? 0);
  }
  return sum;
}

/** Returns the number of tokens of the conversation and the response together. */
export function totalTokens({ inputTokens = 0, outputTokens = 0 }: ModelUsage): number {
  return inputTokens + outputTokens;
}

const COUNTS = ["inputTokens", "outputTokens", "reasoningTokens", "cachedInputTokens"] as const;
