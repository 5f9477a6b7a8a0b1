/**
 * @fileoverview Measured figures, their limits, and the table that a command prints.
 * @module tools/figures
 */

/** Measured figure. */
export interface Figure {
  readonly scenario: string;
  readonly name: string;
  readonly value: string;
  /** Text of the limit. Empty for figures that are only information. */
  readonly limit: string;
  readonly holds: boolean;
}

/** Collects the figures of one scenario. */
export class Figures {
  readonly #scenario: string;
  readonly #isTimed: boolean;
  readonly #all: Figure[] = [];

  /** @param isTimed false if limits on times are only information */
  constructor(scenario: string, isTimed: boolean) {
    this.#scenario = scenario;
    this.#isTimed = isTimed;
  }

  /** Figures so far. */
  get all(): readonly Figure[] {
    return this.#all;
  }

  /** Adds a count that must be exactly `limit`. */
  exactly(name: string, value: number, limit: number): void {
    this.#add(name, { value: format(value), limit: format(limit), holds: value === limit });
  }

  /** Adds a count that must be at least `limit`, so that the scenario tests something. */
  atLeast(name: string, value: number, limit: number): void {
    this.#add(name, { value: format(value), limit: `≥ ${format(limit)}`, holds: value >= limit });
  }

  /** Adds a time in milliseconds that must not exceed `limit` in the full test. */
  within(name: string, ms: number, limit: number): void {
    const holds = !this.#isTimed || ms <= limit;
    this.#add(name, { value: `${format(Math.round(ms))} ms`, limit: `≤ ${format(limit)} ms`, holds });
  }

  /** Adds a size in megabytes that must not exceed `limit`. */
  megabytes(name: string, value: number, limit: number): void {
    const holds = value <= limit;
    const shown = limit < 10 ? value.toFixed(1) : format(Math.round(value));
    this.#add(name, { value: `${shown} MB`, limit: `≤ ${format(limit)} MB`, holds });
  }

  /** Adds a share from 0 to 1 that must not exceed `limit`. */
  percent(name: string, share: number, limit: number): void {
    const toText = (value: number) => `${Math.round(value * 100)}%`;
    this.#add(name, { value: toText(share), limit: `≤ ${toText(limit)}`, holds: share <= limit });
  }

  /** Adds a figure without a limit. */
  note(name: string, value: number | string): void {
    this.#add(name, { value: typeof value === "number" ? format(value) : value, limit: "", holds: true });
  }

  #add(name: string, figure: Pick<Figure, "value" | "limit" | "holds">): void {
    this.#all.push({ scenario: this.#scenario, name, ...figure });
  }
}

/** Prints the figures as a table, and the verdict. Returns true if all limits hold. */
export function printFigures(figures: readonly Figure[], print: (line: string) => void): boolean {
  print(`\n${toTable(figures)}`);
  const failures = figures.filter(({ holds }) => !holds).length;
  print(failures === 0 ? "All limits hold." : `Limits that do not hold: ${failures}.`);
  return failures === 0;
}

/** Returns the figures as a table. */
export function toTable(figures: readonly Figure[]): string {
  const rows = figures.map(({ scenario, name, value, limit, holds }) => [
    holds ? "ok" : "FAIL",
    scenario,
    name,
    value,
    limit,
  ]);
  const head = ["", "Scenario", "Figure", "Value", "Limit"];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const toLine = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column > 2 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd();
  return [toLine(head), ...rows.map(toLine)].join("\n");
}

/** Returns a percentile of numbers, or 0 if there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function format(value: number): string {
  return value.toLocaleString("en-US");
}
