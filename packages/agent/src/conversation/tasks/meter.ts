/**
 * @fileoverview Counts the tokens of a run, and checks budgets for the run, the task, and the user.
 * @module agent/conversation/meter
 */
import type { ModelUsage } from "../../models/model-port.js";
import type { ResponseUsage } from "../../storage/task-entry.js";
import type { AgentUser } from "../../users/user.js";
import { addUsage, totalTokens } from "../context/task-facts.js";
import type { Transcript } from "../context/transcript.js";
import type { TokenBudgets } from "../options.js";

/** Tokens per user and day, across tasks and restarts. */
export interface UsageByUser {
  add(userId: string | undefined, tokens: number): Promise<void>;
  /** Returns the tokens that a user has used today. */
  today(userId: string | undefined): Promise<number>;
}

/** Dependencies for `Meter`. */
export interface MeterParts {
  readonly transcript: Transcript;
  readonly user: AgentUser | undefined;
  readonly budgets: TokenBudgets;
  readonly ledger: UsageByUser;
  readonly contextWindow: number | undefined;
  /** Meter of the run that a subtask belongs to. Its budget includes the subtask. */
  readonly outer?: Meter | undefined;
}

/** Counts the tokens of one run. */
export class Meter {
  readonly #parts: MeterParts;
  #run: ModelUsage = {};

  constructor(parts: MeterParts) {
    this.#parts = parts;
  }

  /** Tokens of the run so far. */
  get usage(): ModelUsage {
    return this.#run;
  }

  /** Returns the reason if a budget is exhausted. */
  async findExhausted(): Promise<string | undefined> {
    const { transcript, user, budgets, ledger, outer } = this.#parts;
    if (isOver(totalTokens(outer?.usage ?? this.#run), budgets.run))
      return `The run used too many tokens (limit: ${budgets.run}). Resume the task to continue.`;
    if (isOver(totalTokens(transcript.facts.usage), budgets.task))
      return `The task used too many tokens (limit: ${budgets.task}). Start a new task.`;
    if (budgets.userPerDay !== undefined && isOver(await ledger.today(user?.id), budgets.userPerDay))
      return `Too many tokens were used today (limit: ${budgets.userPerDay}). Try again tomorrow.`;
    return undefined;
  }

  /** Adds the tokens of a response, and returns them for the log. */
  async add(usage: ModelUsage): Promise<ResponseUsage> {
    const { user, ledger, budgets } = this.#parts;
    this.#note(usage);
    // Without users and a budget, nobody reads the counts of the ledger.
    const isCounted = user !== undefined || budgets.userPerDay !== undefined;
    if (isCounted) await ledger.add(user?.id, totalTokens(usage));
    return { ...usage, userId: user?.id };
  }

  /** Counts tokens for this run and the run that it belongs to. */
  #note(usage: ModelUsage): void {
    this.#run = addUsage(this.#run, usage);
    const { outer } = this.#parts;
    if (outer !== undefined) outer.#note(usage);
  }

  /** Sends the counts to the clients that watch the task. Called when the tokens of the response are in the log. */
  report(response: ModelUsage, isEstimated: boolean): void {
    const { transcript, contextWindow } = this.#parts;
    const { usage, contextTokens } = transcript.facts;
    const data = { taskId: transcript.taskId, response, run: this.#run, task: usage };
    const more = { contextTokens, contextWindow, isEstimated: isEstimated || undefined };
    transcript.send({ type: "usage", data: { ...data, ...more } });
  }
}

function isOver(tokens: number, limit: number | undefined): boolean {
  return limit !== undefined && tokens >= limit;
}
