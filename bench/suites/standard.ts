/**
 * @fileoverview What the application standard adds to a call: context, logger, limiter and scopes beside a bare server.
 * @module bench/suites/standard
 */
import { withFleet } from "../lib/fleet.js";
import { interleave } from "../lib/interleave.js";
import type { BenchOptions, Size } from "../lib/options.js";
import { middle, requestRow, type Row, type Table } from "../lib/result.js";
import { spread } from "../lib/stats.js";
import type { Suite } from "../lib/suite.js";
import type { Mode } from "../servers/contract.js";
import { measure } from "./http.js";
import { runSlice } from "./in-process.js";

const PAIR = ["tenon", "tenon-standard"] as const;
const MODES: readonly Mode[] = ["session", "modern"];

/**
 * How many pairs of processes are measured, one pair after another. Two processes of the very same server differ by
 * 4 % and more, by how their code came to be compiled and to lie in memory: a quarter is not told from a fifth by one.
 */
const PAIRS: Readonly<Record<Size, number>> = { quick: 1, normal: 3, full: 5 };

/** The suite. */
export const standard: Suite = {
  name: "standard",
  title: "The application standard",
  async *run(options) {
    for (const mode of MODES) {
      if (options.wants("standard", `http-${mode}`)) yield besideBare(await inPairs(options, overHttp(mode)));
    }
    if (options.wants("standard", "in-process")) yield besideBare(await inPairs(options, inProcess));
  },
};

/** Measures one new pair of processes. */
type Measurement = (options: BenchOptions) => AsyncIterable<Table>;

function overHttp(mode: Mode): Measurement {
  const setup = { wire: "http", mode, tools: 2 } as const;
  return (options) =>
    withFleet(PAIR, setup, options, async function* (fleet) {
      const table = await measure({ name: "call", connections: 32 }, setup, fleet, options);
      yield { ...table, id: `http-${mode}`, title: `The standard on an HTTP call, ${mode}` };
    });
}

function inProcess(options: BenchOptions): AsyncIterable<Table> {
  const setup = { wire: "in-process", mode: "session", tools: 2 } as const;
  return withFleet(PAIR, setup, options, async function* ({ servers, absent }) {
    const contestants = servers.map((server) => ({
      name: server.name,
      slice: (ms: number) => runSlice(server, "call", setup, ms),
    }));
    const samples = await interleave(contestants, options.pace);
    const rows = [...absent, ...[...samples].map(([name, list]) => requestRow(name, list))];
    const title = "The standard on a call in-process";
    yield { id: "in-process", title, metric: "cpu", columns: {}, rows };
  });
}

/** All pairs as one table: each figure is the median of what the processes had, with the spread between them. */
async function inPairs(options: BenchOptions, measurement: Measurement): Promise<Table> {
  const tables: Table[] = [];
  for (let pair = 0; pair < PAIRS[options.size]; pair++) {
    for await (const table of measurement(options)) tables.push(table);
  }
  const [first] = tables;
  if (first === undefined) throw new Error("nothing was measured");
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

/** The cost as a ratio to the bare server's. */
function besideBare(table: Table): Table {
  const bare = middle(table.rows.find(({ server }) => server === "tenon")?.figures["cpu"]);
  return {
    ...table,
    floor: "tenon",
    columns: { cpu: "CPU µs", ratio: "times the bare server", rate: "per s" },
    rows: table.rows.map((row): Row => ({
      ...row,
      figures: { ...row.figures, ratio: middle(row.figures["cpu"]) / bare },
    })),
  };
}
