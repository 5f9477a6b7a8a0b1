/**
 * @fileoverview What a suite finds: tables of figures, each with the floor that its ratios are taken against.
 * @module bench/lib/result
 */
import type { Sample } from "./interleave.js";
import { quantile, spread, type Spread } from "./stats.js";

/** One server's line. */
export interface Row {
  readonly server: string;
  readonly figures: Readonly<Record<string, Spread | number>>;
  readonly errors?: number;
  readonly note?: string;
}

/** One table. */
export interface Table {
  /** Unique in its suite; what `--only=suite:part` looks for. */
  readonly id: string;
  readonly title: string;
  /** The figure that is compared; less is better. */
  readonly metric: string;
  /** The server whose figure is 100 %. */
  readonly floor?: string;
  /** Names of figures and what they are counted in. */
  readonly columns: Readonly<Record<string, string>>;
  readonly rows: readonly Row[];
}

/** The figures of requests: CPU time first. */
export const REQUEST_COLUMNS = {
  cpu: "CPU µs",
  rate: "per s",
  p50: "p50 ms",
  p99: "p99 ms",
} as const;

/** A server's line from its slices. */
export function requestRow(server: string, all: readonly Sample[], note?: string): Row {
  const errors = all.reduce((sum, sample) => sum + sample.errors, 0);
  const samples = all.filter(({ done }) => done > 0);
  if (samples.length === 0) return { ...absentRow(server, note ?? "it answered nothing"), errors };
  const latencies = samples.flatMap((sample) => sample.latencies ?? []).sort((a, b) => a - b);
  return {
    server,
    figures: {
      cpu: spread(samples.map(({ cpuUs, done }) => cpuUs / done)),
      rate: spread(samples.map(({ done, wallMs }) => (done / wallMs) * 1000)),
      ...(latencies.length === 0 ? {} : { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) }),
    },
    errors,
    ...(note === undefined ? {} : { note }),
  };
}

/** A line for a server that could not take part. */
export function absentRow(server: string, reason: unknown): Row {
  const text = reason instanceof Error ? reason.message : String(reason);
  return { server, figures: {}, note: text.split("\n").slice(0, 2).join(" ").slice(0, 160) };
}

/** The one number of a figure. */
export function middle(figure: Spread | number | undefined): number {
  return typeof figure === "object" ? figure.median : (figure ?? Number.NaN);
}

/** How much of the floor's speed each row reaches, 1 being all of it. */
export function shareOfFloor(table: Table, row: Row, floor: string | undefined = table.floor): number {
  const base = table.rows.find(({ server }) => server === floor);
  return middle(base?.figures[table.metric]) / middle(row.figures[table.metric]);
}
