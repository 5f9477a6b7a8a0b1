/**
 * @fileoverview Measures the cost of the application standard (context, logger, limiter, scopes) over a bare server.
 * @module bench/suites/standard
 */
import { withFleet } from "../lib/fleet.js";
import { interleave } from "../lib/interleave.js";
import type { BenchOptions } from "../lib/options.js";
import { type Measurement, overProcesses } from "../lib/over-processes.js";
import { middle, requestRow, type Row, type Table } from "../lib/result.js";
import type { Suite } from "../lib/suite.js";
import type { Mode } from "../servers/contract.js";
import { measure } from "./http.js";
import { runSlice } from "./in-process.js";

const PAIR = ["tenon", "tenon-standard"] as const;
const MODES: readonly Mode[] = ["session", "modern"];

/** The application standard suite. */
export const standard: Suite = {
  name: "standard",
  title: "The application standard",
  async *run(options) {
    for (const mode of MODES) {
      if (options.wants("standard", `http-${mode}`))
        yield besideBare(await overProcesses(options, overHttp(mode)));
    }
    if (options.wants("standard", "in-process")) yield besideBare(await overProcesses(options, inProcess));
  },
};

function overHttp(mode: Mode): Measurement {
  const setup = { wire: "http", mode, tools: 2 } as const;
  return (options) =>
    withFleet(PAIR, setup, options, async function* (fleet) {
      const table = await measure({ name: "call", connections: 32 }, setup, fleet, options);
      yield { ...table, id: `http-${mode}`, title: `Application standard, HTTP call, ${mode}` };
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
    const title = "Application standard, in-process call";
    yield { id: "in-process", title, metric: "cpu", columns: {}, rows };
  });
}

/** Adds the ratio to the bare server. */
function besideBare(table: Table): Table {
  const bare = middle(table.rows.find(({ server }) => server === "tenon")?.figures["cpu"]);
  return {
    ...table,
    floor: "tenon",
    columns: { cpu: "CPU µs", ratio: "ratio to the bare server", rate: "per s" },
    rows: table.rows.map((row): Row => ({
      ...row,
      figures: { ...row.figures, ratio: middle(row.figures["cpu"]) / bare },
    })),
  };
}
