/**
 * @fileoverview Measures the cost that a grouped tool and middleware add to a call: one of 1,000 actions and of tools.
 * @module bench/suites/grouped
 */
import type { CaseName } from "../lib/cases.js";
import { withFleet } from "../lib/fleet.js";
import { interleave } from "../lib/interleave.js";
import type { BenchOptions } from "../lib/options.js";
import { overProcesses } from "../lib/over-processes.js";
import { middle, requestRow, type Row, type Table } from "../lib/result.js";
import type { Suite } from "../lib/suite.js";
import { runSlice } from "./in-process.js";

const OPERATIONS = 1_000;

/** Case of each server. */
const CASES: Readonly<Record<string, CaseName>> = {
  "raw-zod": "call",
  tenon: "call",
  "tenon-layered": "call",
  "tenon-grouped": "action",
  "tenon-grouped-layered": "action",
};

/** The grouped suite. */
export const grouped: Suite = {
  name: "grouped",
  title: "Grouped dispatch",
  async *run(options) {
    const table = await overProcesses(options, measureCalls);
    const plain = middle(table.rows.find(({ server }) => server === "tenon")?.figures["cpu"]);
    yield {
      ...table,
      rows: table.rows.map((row): Row => {
        const cpu = middle(row.figures["cpu"]);
        return { ...row, figures: { ...row.figures, ratio: cpu / plain, beyond: cpu - plain } };
      }),
    };
  },
};

function measureCalls(options: BenchOptions): AsyncIterable<Table> {
  const setup = { wire: "in-process", mode: "session", tools: OPERATIONS } as const;
  return withFleet(Object.keys(CASES), setup, options, async function* ({ servers, absent }) {
    const contestants = servers.map((server) => ({
      name: server.name,
      slice: (ms: number) => runSlice(server, CASES[server.name] ?? "call", setup, ms),
    }));
    const samples = await interleave(contestants, options.pace);
    yield {
      id: "dispatch",
      title: `One of ${OPERATIONS.toLocaleString("en")} operations, in-process: a tool, an action, each with and without five layers of middleware`,
      metric: "cpu",
      floor: "tenon",
      columns: {
        cpu: "CPU µs",
        ratio: "ratio to a plain tool",
        beyond: "µs over a plain tool",
        rate: "per s",
      },
      rows: [...absent, ...[...samples].map(([name, list]) => requestRow(name, list))],
    };
  });
}
