/**
 * @fileoverview Token counts of one day, in memory and on disk.
 * @module agent/storage/usage/day-counts
 */
import type { Sequence } from "../list/sequence.js";
import { appendToDay, readDay, type UserTokens } from "./day-file.js";

/** Options for `DayCounts`. */
export interface DayCountsOptions {
  readonly path: string;
  /** Maximum number of users in memory. The counts of other users are read from the file. */
  readonly maxUsers: number;
  /** Runs everything that reads or changes the files, one piece at a time. */
  readonly sequence: Sequence;
}

/** Token counts of one day. Methods reject if the disk fails. Tokens that are not on disk then stay in memory. */
export class DayCounts {
  readonly #options: DayCountsOptions;
  /** Tokens by user, with the most recently used count last. Includes tokens that are not on disk yet. */
  readonly #counts = new Map<string, number>();
  /** Tokens by user that are not on disk yet. */
  readonly #pending = new Map<string, number>();
  /** True if `#counts` contains every user of the day. */
  #isComplete = true;
  /** Length of the file's complete lines. Missing until the file was read. */
  #length: number | undefined;
  #flush: Promise<void> | undefined;
  /** True if the last write failed. */
  #hasFailed = false;

  constructor(options: DayCountsOptions) {
    this.#options = options;
  }

  /** Adds tokens. Resolves when they are on disk. Additions at the same time are written together. */
  add(user: string, tokens: number): Promise<void> {
    this.#defer(user, tokens);
    const before = this.#counts.get(user) ?? (this.#isLoaded && this.#isComplete ? 0 : undefined);
    if (before !== undefined) this.#keep(user, sum(before, tokens));
    this.#flush ??= this.#options.sequence.run(async () => {
      this.#flush = undefined;
      await this.#write();
    });
    return this.#flush;
  }

  /** Returns the tokens of a user. */
  async read(user: string): Promise<number> {
    const { sequence } = this.#options;
    if (!this.#isLoaded) await sequence.run(() => this.#load());
    const count = this.#counts.get(user);
    if (count === undefined) return this.#isComplete ? 0 : sequence.run(() => this.#find(user));
    this.#keep(user, count);
    return count;
  }

  /** Returns the tokens of a user that are in memory. */
  peek(user: string): number {
    return this.#counts.get(user) ?? this.#pending.get(user) ?? 0;
  }

  get #isLoaded(): boolean {
    return this.#length !== undefined;
  }

  async #load(): Promise<void> {
    if (this.#isLoaded) return;
    const { path, maxUsers } = this.#options;
    const counts = new Map<string, number>();
    let isComplete = true;
    const count = (user: string, tokens: number) => {
      // Counts in memory are whole: a user that does not fit is never added later.
      if (counts.size >= maxUsers && !counts.has(user)) isComplete = false;
      else counts.set(user, sum(counts.get(user) ?? 0, tokens));
    };
    const length = await readDay(path, ([user, tokens]) => count(user, tokens));
    for (const [user, tokens] of this.#pending) count(user, tokens);
    for (const [user, tokens] of counts) this.#counts.set(user, tokens);
    this.#isComplete = isComplete;
    this.#length = length;
  }

  async #write(): Promise<void> {
    let lines: readonly UserTokens[] = [];
    try {
      await this.#load();
      lines = [...this.#pending];
      this.#pending.clear();
      if (lines.length > 0) this.#length = await appendToDay(this.#options.path, this.#length ?? 0, lines);
      this.#hasFailed = false;
    } catch (error) {
      this.#hasFailed = true;
      // The next addition tries again.
      for (const [user, tokens] of lines) this.#defer(user, tokens);
      throw error;
    }
  }

  /** Reads the count of a user who is not in memory. */
  async #find(user: string): Promise<number> {
    let count = 0;
    await readDay(this.#options.path, ([key, tokens]) => {
      if (key === user) count = sum(count, tokens);
    });
    count = sum(count, this.#pending.get(user) ?? 0);
    this.#keep(user, count);
    return count;
  }

  /** Keeps a count in memory. At the limit, the count that was not used for the longest time is removed. */
  #keep(user: string, count: number): void {
    this.#counts.delete(user);
    this.#counts.set(user, count);
    if (this.#counts.size <= this.#options.maxUsers) return;
    const [oldest] = this.#counts.keys();
    if (oldest !== undefined) this.#counts.delete(oldest);
    this.#isComplete = false;
  }

  /** Keeps tokens until they are on disk. While the disk fails, the number of users is limited. */
  #defer(user: string, tokens: number): void {
    const isFull = this.#hasFailed && this.#pending.size >= this.#options.maxUsers;
    if (isFull && !this.#pending.has(user)) return;
    this.#pending.set(user, sum(this.#pending.get(user) ?? 0, tokens));
  }
}

function sum(one: number, other: number): number {
  return Math.min(one + other, Number.MAX_SAFE_INTEGER);
}
