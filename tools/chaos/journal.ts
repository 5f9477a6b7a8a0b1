/**
 * @fileoverview Journal of the handlers of all nodes: one line for each start, end, step, and question. Lines are
 * written with single writes to a file, so they survive the end of their process.
 * @module tools/chaos/journal
 */
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";

/** Line of the journal. */
export interface JournalLine {
  readonly kind: "begin" | "end" | "step" | "ask" | "echo";
  /** Time in milliseconds since the epoch. */
  readonly at: number;
  readonly pid: number;
  readonly taskId: string;
  /** Number in the arguments of the call. */
  readonly n: number;
  /** Name of the step, or the text of an echo. */
  readonly step: string;
}

/** One run of a task's handler. */
export interface Run {
  readonly taskId: string;
  readonly pid: number;
  readonly beganAt: number;
  /** Absent if the process was killed before. */
  endedAt?: number;
}

/** Returns the text of a line. */
export function formatLine({ kind, at, pid, taskId, n, step }: JournalLine): string {
  return `${[kind, at, pid, taskId, n, step].join("\t")}\n`;
}

/** Reader of a journal. It reads each line once. */
export class Journal {
  readonly path: string;
  readonly #lines: JournalLine[] = [];
  readonly #file: number;
  #rest = "";

  /** Creates the file. */
  constructor(path: string) {
    this.path = path;
    writeFileSync(path, "");
    this.#file = openSync(path, "r");
  }

  /** Returns all lines so far. */
  read(): readonly JournalLine[] {
    const lines = (this.#rest + readFileSync(this.#file, "utf8")).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#lines.push(parseLine(line));
    return this.#lines;
  }

  /** Closes the file. */
  close(): void {
    closeSync(this.#file);
  }
}

function parseLine(line: string): JournalLine {
  const [kind = "", at, pid, taskId = "", n, step = ""] = line.split("\t");
  // Safe: only nodes write to the file, with `formatLine`.
  return { kind, at: Number(at), pid: Number(pid), taskId, n: Number(n), step } as JournalLine;
}

/** Returns the runs of all tasks in the order of their start, by task. */
export function toRuns(lines: readonly JournalLine[]): ReadonlyMap<string, readonly Run[]> {
  const runs = new Map<string, Run[]>();
  for (const { kind, at, pid, taskId } of lines) {
    const known = runs.get(taskId) ?? [];
    if (kind === "begin") runs.set(taskId, [...known, { taskId, pid, beganAt: at }]);
    if (kind !== "end") continue;
    const run = known.findLast((one) => one.pid === pid && one.endedAt === undefined);
    if (run !== undefined) run.endedAt = at;
  }
  return runs;
}

/** Returns the number of steps without retry that ran more than once. */
export function countRepeatedSteps(lines: readonly JournalLine[]): number {
  const counts = new Map<string, number>();
  for (const { kind, taskId, step } of lines) {
    if (kind !== "step") continue;
    const key = `${taskId} ${step}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts.values()].filter((count) => count > 1).length;
}
