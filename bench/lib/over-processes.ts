/**
 * @fileoverview Repeats a measurement with several generations of processes. Two processes of the same server differ by
 * 4 % and more, depending on how their code was compiled and placed in memory, so one process each cannot show small
 * differences.
 * @module bench/lib/over-processes
 */
import type { BenchOptions, Size } from "./options.js";
import { middle, type Row, type Table } from "./result.js";
import { spread } from "./stats.js";

/** Number of generations, measured one after the other. */
const GENERATIONS: Readonly<Record<Size, number>> = { quick: 1, normal: 3, full: 5 };

/** Measures new processes. */
export type Measurement = (options: BenchOptions) => AsyncIterable<Table>;

/** Combines all generations into one table: each figure is the median over the processes, with its spread. */
export async function overProcesses(options: BenchOptions, measurement: Measurement): Promise<Table> {
  const tables: Table[] = [];
  for (let generation = 0; generation < GENERATIONS[options.size]; generation++) {
    for await (const table of measurement(options)) tables.push(table);
  }
  const [first] = tables;
  if (first === undefined) throw new Error("The measurement returned no tables.");
  return { ...first, rows: first.rows.map(({ server }) => pooled(server, tables)) };
}

function pooled(server: string, tables: readonly Table[]): Row {
  const rows = tables.flatMap((table) => table.rows.filter((row) => row.server === server));
  const names = new Set(rows.flatMap(({ figures }) => Object.keys(figures)));
  const note = rows.find((row) => row.note !== undefined)?.note;
  return {
    server,
    figures: Object.fromEntries(
      [...names].map((name) => [
        name,
        spread(rows.filter((row) => name in row.figures).map((row) => middle(row.figures[name]))),
      ]),
    ),
    errors: rows.reduce((sum, row) => sum + (row.errors ?? 0), 0),
    ...(note === undefined ? {} : { note }),
  };
}
