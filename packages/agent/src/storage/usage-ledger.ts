/**
 * @fileoverview Token counts by user and UTC day. They survive a crash, so that a restart does not reset budgets.
 * @module agent/storage/usage-ledger
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { systemPorts } from "@tenon/internal/ports";
import { codeOf } from "@tenon/internal/thrown";
import type { Logger } from "tenon";
import { Sequence } from "./list/sequence.js";
import { DayCounts } from "./usage/day-counts.js";
import { dayPath, removeOldDays, toDay } from "./usage/day-file.js";

/** Options for `UsageLedger`. */
export interface UsageLedgerOptions {
  /** Storage folder. The counts are in its folder `.usage`, whose name cannot be a task ID. */
  readonly folder: string;
  /** Receives disk errors. A ledger never throws them. */
  readonly logger?: Logger | undefined;
  readonly now?: (() => number) | undefined;
  /** Maximum number of users in memory. The counts of other users are read from disk. @default 50_000 */
  readonly maxUsers?: number | undefined;
}

/** Counts the tokens that each user has used today. If the disk fails, it counts in memory. */
export class UsageLedger {
  readonly #folder: string;
  readonly #options: UsageLedgerOptions;
  readonly #now: () => number;
  readonly #sequence = new Sequence();
  #today: { readonly day: string; readonly counts: DayCounts } | undefined;
  /** True if the last access to the disk failed, so that only the first failure is logged. */
  #isFailing = false;

  constructor(options: UsageLedgerOptions) {
    this.#folder = join(options.folder, ".usage");
    this.#options = options;
    this.#now = options.now ?? systemPorts.now;
  }

  /**
   * Adds tokens to today's count of a user, or of all users without an ID. Resolves when they are on disk, or the
   * failure is logged. Never rejects.
   */
  async add(userId: string | undefined, tokens: number): Promise<void> {
    const count = Math.min(Math.ceil(tokens), Number.MAX_SAFE_INTEGER);
    if (!(count > 0)) return;
    const counts = this.#countsOfToday();
    await this.#try(() => counts.add(toKey(userId), count));
  }

  /** Returns the tokens that a user has used today. Never rejects. */
  async today(userId: string | undefined): Promise<number> {
    const counts = this.#countsOfToday();
    const key = toKey(userId);
    return (await this.#try(() => counts.read(key))) ?? counts.peek(key);
  }

  /** Waits until the counts so far are on disk. */
  async close(): Promise<void> {
    await this.#sequence.run(async () => undefined);
  }

  #countsOfToday(): DayCounts {
    const day = toDay(this.#now());
    if (this.#today?.day === day) return this.#today.counts;
    const { maxUsers = 50_000 } = this.#options;
    // All days share one sequence. What was added yesterday is written before today's file is read.
    const counts = new DayCounts({ path: dayPath(this.#folder, day), maxUsers, sequence: this.#sequence });
    this.#today = { day, counts };
    void this.#try(() => this.#sequence.run(() => removeOldDays(this.#folder, day)));
    return counts;
  }

  async #try<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work();
      this.#isFailing = false;
      return result;
    } catch (error) {
      this.#report(String(codeOf(error) ?? "not a regular file or folder"));
      return undefined;
    }
  }

  #report(reason: string): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    try {
      this.#options.logger?.error(
        `agent: usage: could not read or store token counts (${reason}). They are kept in memory until the disk works.`,
      );
    } catch {
      // A logger that throws must not affect the run.
    }
  }
}

/**
 * Returns the key of a user. The hash has a fixed length, contains no special characters, and does not reveal the user
 * ID. UTF-16 keeps IDs apart that differ only in lone surrogates.
 */
function toKey(userId: string | undefined): string {
  return userId === undefined ? "" : createHash("sha256").update(userId, "utf16le").digest("base64url");
}
