/**
 * @fileoverview Results of a suite: tables of figures, each with the baseline of its ratios.
 * @module bench/lib/result
 */
import type { Sample } from "./interleave.js";
import { quantile, spread, type Spread } from "./stats.js";

/** Row of one server. */
export interface Row {
  readonly server: string;
  readonly figures: Readonly<Record<string, Spread | number>>;
  /** Compared figure in each round. The rounds of all servers in a table belong together. */
  readonly rounds?: readonly number[];
  readonly errors?: number;
  readonly note?: string;
}

/** One table. */
export interface Table {
  /** Id, unique in its suite. `--only=suite:part` matches it. */
  readonly id: string;
  readonly title: string;
  /** Compared figure; less is better. */
  readonly metric: string;
  /** Baseline: the server whose figure is 100 %. */
  readonly floor?: string;
  /** Titles of the figures, with their units. */
  readonly columns: Readonly<Record<string, string>>;
  readonly rows: readonly Row[];
}

/** Columns of request measurements, CPU time first. */
export const REQUEST_COLUMNS = {
  cpu: "CPU µs",
  rate: "per s",
  p50: "p50 ms",
  p99: "p99 ms",
} as const;

/** Creates the row of a server from its slices. */
export function requestRow(server: string, all: readonly Sample[], note?: string): Row {
  const errors = all.reduce((sum, sample) => sum + sample.errors, 0);
  const samples = all.filter(({ done }) => done > 0);
  if (samples.length === 0) return { ...absentRow(server, note ?? "It sent no responses."), errors };
  const latencies = samples.flatMap((sample) => sample.latencies ?? []).sort((a, b) => a - b);
  return {
    server,
    figures: {
      cpu: spread(samples.map(({ cpuUs, done }) => cpuUs / done)),
      rate: spread(samples.map(({ done, wallMs }) => (done / wallMs) * 1000)),
      ...(latencies.length === 0 ? {} : { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) }),
    },
    rounds: all.map(({ cpuUs, done }) => cpuUs / done),
    errors,
    ...(note === undefined ? {} : { note }),
  };
}

/** Creates the row of a server that could not participate. */
export function absentRow(server: string, reason: unknown): Row {
  const text = reason instanceof Error ? reason.message : String(reason);
  return { server, figures: {}, note: text.split("\n").slice(0, 2).join(" ").slice(0, 160) };
}

/** Returns the median of a figure. */
export function middle(figure: Spread | number | undefined): number {
  return typeof figure === "object" ? figure.median : (figure ?? Number.NaN);
}

/**
 * Returns the speed of a row relative to the baseline; 1 means equal. If both were measured in the same rounds, this is
 * the median of the ratios in each round: other load on the machine changes within seconds, and affects both.
 */
export function shareOfFloor(table: Table, row: Row, floor: string | undefined = table.floor): number {
  const base = table.rows.find(({ server }) => server === floor);
  return (
    middleOfRounds(base, row, (own, other) => own / other) ??
    middle(base?.figures[table.metric]) / middle(row.figures[table.metric])
  );
}

/** Returns the median of a comparison of two rows, round by round, or `undefined` if their rounds do not match. */
export function middleOfRounds(
  first: Row | undefined,
  second: Row | undefined,
  compare: (first: number, second: number) => number,
): number | undefined {
  const rounds = second?.rounds;
  if (first?.rounds === undefined || rounds === undefined || first.rounds.length !== rounds.length)
    return undefined;
  const compared = first.rounds
    .map((figure, index) => compare(figure, rounds[index] ?? Number.NaN))
    .filter((one) => Number.isFinite(one));
  return compared.length === 0 ? undefined : spread(compared).median;
}
