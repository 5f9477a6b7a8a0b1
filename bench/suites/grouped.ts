/**
 * @fileoverview What a grouped tool and middleware add to a call: one of 1,000 actions beside one of 1,000 tools.
 * @module bench/suites/grouped
 */
import type { CaseName } from "../lib/cases.js";
import { withFleet } from "../lib/fleet.js";
import { interleave } from "../lib/interleave.js";
import { middle, requestRow, type Row, type Table } from "../lib/result.js";
import type { Suite } from "../lib/suite.js";
import { runSlice } from "./in-process.js";

const OPERATIONS = 1_000;

/** Which request fits which server. */
const CASES: Readonly<Record<string, CaseName>> = {
  "raw-zod": "call",
  tenon: "call",
  "tenon-layered": "call",
  "tenon-grouped": "action",
  "tenon-grouped-layered": "action",
};

/** The suite. */
export const grouped: Suite = {
  name: "grouped",
  title: "Grouped dispatch",
  async *run(options) {
    const setup = { wire: "in-process", mode: "session", tools: OPERATIONS } as const;
    yield* withFleet(Object.keys(CASES), setup, options, async function* ({ servers, absent }) {
      const contestants = servers.map((server) => ({
        name: server.name,
        slice: (ms: number) => runSlice(server, CASES[server.name] ?? "call", setup, ms),
      }));
      const samples = await interleave(contestants, options.pace);
      const rows = [...samples].map(([name, list]) => requestRow(name, list));
      const plain = middle(rows.find(({ server }) => server === "tenon")?.figures["cpu"]);
      yield {
        id: "dispatch",
        title: `One of ${OPERATIONS.toLocaleString("en")} operations, in-process: a tool, an action, five layers around each`,
        metric: "cpu",
        floor: "tenon",
        columns: { cpu: "CPU µs", beyond: "µs beyond a plain tool", rate: "per s" },
        rows: [
          ...absent,
          ...rows.map((row): Row => ({
            ...row,
            figures: { ...row.figures, beyond: middle(row.figures["cpu"]) - plain },
          })),
        ],
      } satisfies Table;
    });
  },
};
