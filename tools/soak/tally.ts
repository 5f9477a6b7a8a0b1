/**
 * @fileoverview Counts of what the clients of the soak test did, and of what went wrong.
 * @module tools/soak/tally
 */

/** Activities that are counted. Each of them must have happened. */
export const ACTIVITIES = [
  "requests",
  "connections",
  "connections dropped",
  "cancelled calls",
  "progress notifications",
  "questions answered",
  "listen streams",
  "change notifications",
  "tasks",
  "tasks cancelled",
  "tasks abandoned",
  "keyed calls",
  "flooded clients",
  "streams resumed",
  "slow readers",
  "invalid requests",
  "agent messages",
] as const;

/** Name of an activity. */
export type Activity = (typeof ACTIVITIES)[number];

/** Counts and failures that can be sent between processes. */
export interface TallyData {
  readonly counts: Readonly<Partial<Record<Activity, number>>>;
  readonly failed: number;
  /** The first failures. */
  readonly failures: readonly string[];
}

/** Collects counts and failures. */
export class Tally {
  readonly #counts = new Map<Activity, number>();
  readonly #failures: string[] = [];
  #failed = 0;

  /** Number of failures. */
  get failed(): number {
    return this.#failed;
  }

  /** Returns the count of an activity. */
  count(activity: Activity): number {
    return this.#counts.get(activity) ?? 0;
  }

  /** Counts an activity. */
  add(activity: Activity, count = 1): void {
    this.#counts.set(activity, this.count(activity) + count);
  }

  /** Records a failure. */
  fail(text: string): void {
    this.#failed++;
    if (this.#failures.length < MAX_FAILURES) this.#failures.push(text.slice(0, MAX_LENGTH));
  }

  /** Adds the counts and failures of a different tally. */
  merge({ counts, failed, failures }: TallyData): void {
    for (const activity of ACTIVITIES) this.add(activity, counts[activity] ?? 0);
    this.#failed += failed;
    this.#failures.push(...failures.slice(0, MAX_FAILURES - this.#failures.length));
  }

  /** Counts and failures so far. */
  get data(): TallyData {
    return { counts: Object.fromEntries(this.#counts), failed: this.#failed, failures: [...this.#failures] };
  }
}

const MAX_FAILURES = 20;
const MAX_LENGTH = 400;
