/**
 * @fileoverview Counts the tokens of a run, and reserves tokens of the budgets for the run, the task, and the user.
 * @module agent/conversation/tasks/meter
 */
import type { ModelUsage } from "../../models/model-port.js";
import type { ResponseUsage } from "../../storage/task-entry.js";
import type { AgentUser } from "../../users/user.js";
import { addUsage, totalTokens } from "../context/task-facts.js";
import type { Transcript } from "../context/transcript.js";
import type { TokenBudgets } from "../options.js";
import { untilAborted } from "../../shared/until-aborted.js";
import type { Account, Reservations } from "./reservations.js";

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
  readonly reservations: Reservations;
  /** Tokens to reserve for a request. */
  readonly requestTokens: number;
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

  /**
   * Reserves tokens for a request. If requests in flight may need the rest of a budget, waits until their tokens are
   * counted. Returns the function that releases the reservation, or the reason if a budget is used up.
   *
   * @throws the reason of the signal, if it aborts first
   */
  async reserve(signal: AbortSignal): Promise<(() => void) | string> {
    const { reservations, requestTokens } = this.#parts;
    for (;;) {
      const { released } = reservations;
      const budgets = await this.#findBudgets();
      // The tokens of another request were counted meanwhile.
      if (released !== reservations.released) continue;
      const exhausted = budgets.find(({ used, limit }) => used >= limit);
      if (exhausted !== undefined) return exhausted.reason;
      const release = reservations.tryReserve(budgets, requestTokens);
      if (release !== undefined) return release;
      await untilAborted(released, signal);
    }
  }

  async #findBudgets(): Promise<readonly Budget[]> {
    const { transcript, user, budgets, ledger, outer = this } = this.#parts;
    const { run, task, userPerDay } = budgets;
    const found: Budget[] = [];
    if (run !== undefined) {
      const key = `run ${outer.#parts.transcript.taskId}`;
      const reason = `The run used too many tokens (limit: ${run}). Resume the task to continue.`;
      found.push({ key, limit: run, used: totalTokens(outer.usage), reason });
    }
    if (task !== undefined) {
      const reason = `The task used too many tokens (limit: ${task}). Start a new task.`;
      const used = totalTokens(transcript.facts.usage);
      found.push({ key: `task ${transcript.taskId}`, limit: task, used, reason });
    }
    if (userPerDay !== undefined) {
      const reason = `Too many tokens were used today (limit: ${userPerDay}). Try again tomorrow.`;
      const used = await ledger.today(user?.id);
      found.push({ key: `user ${user?.id ?? ""}`, limit: userPerDay, used, reason });
    }
    return found;
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

/** Budget, and the text for users when it is used up. */
interface Budget extends Account {
  readonly reason: string;
}
