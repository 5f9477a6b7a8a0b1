/**
 * @fileoverview Counts broken promises, and reports the input that breaks them.
 * @module tools/fuzz/findings
 */
import { type Block, type Problem, type PromiseName, PROMISES, type Target } from "./block.js";
import { minimize, showFrame } from "./minimize.js";
import { saveRegression } from "./regressions.js";
import { withLittlePatience } from "./targets/patience.js";

/** Maximum number of problems of one block that are printed. */
const MAX_PRINTED = 3;

/** Time in milliseconds for the reduction of a failing input. */
const BUDGET_MS = 20_000;

/** Problem of a block, for its report. */
export interface Failure {
  readonly target: Target;
  readonly block: Block;
  readonly problems: readonly Problem[];
}

/** Broken promises of a run. */
export class Findings {
  readonly #counts = new Map<PromiseName, number>();
  readonly #print: (line: string) => void;
  readonly #saves: boolean;

  /** @param saves true to add failing inputs to the file of regression cases */
  constructor(print: (line: string) => void, saves: boolean) {
    this.#print = print;
    this.#saves = saves;
  }

  /** Returns the number of problems with a promise. */
  count(promise: PromiseName): number {
    return this.#counts.get(promise) ?? 0;
  }

  /** Counts and prints problems. */
  add(part: string, problems: readonly Problem[]): void {
    for (const { promise } of problems) this.#counts.set(promise, this.count(promise) + 1);
    for (const { promise, text } of problems.slice(0, MAX_PRINTED))
      this.#print(`${part}: FAIL (${PROMISES[promise]}) ${text}`);
    if (problems.length > MAX_PRINTED) this.#print(`${part}: and ${problems.length - MAX_PRINTED} more`);
  }

  /** Counts the problems of a block, reduces its input, prints it, and saves it. */
  async report(part: string, { target, block, problems }: Failure): Promise<void> {
    this.add(part, problems);
    const [first] = problems;
    if (first === undefined) return;
    const { promise, text } = first;
    const breaks = async (smaller: Block) =>
      (await target.run(smaller)).problems.some((problem) => problem.promise === promise);
    this.#print(`${part}: reducing the input of ${block.frames.length} frames`);
    const [isRepeatable, reduced] = await withLittlePatience(async () =>
      (await breaks(block))
        ? ([true, await minimize(block, breaks, BUDGET_MS)] as const)
        : ([false, block] as const),
    );
    this.#print(
      `${part}: ${isRepeatable ? "" : "not repeatable on its own; "}${reduced.frames.length} frames, seed ${block.seed}:`,
    );
    for (const frame of reduced.frames.slice(0, 5)) this.#print(`  ${showFrame(frame)}`);
    if (!this.#saves || !isRepeatable) return;
    saveRegression(target.name, `${PROMISES[promise]}: ${text.slice(0, 200)}`, reduced);
    this.#print(`${part}: saved in tools/fuzz/regressions.json`);
  }
}
