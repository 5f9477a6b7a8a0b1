/**
 * @fileoverview Measures requests without a transport: the text of a message in, the text of its response out.
 * @module bench/suites/in-process
 */
import { type CaseName } from "../lib/cases.js";
import { withFleet } from "../lib/fleet.js";
import { interleave } from "../lib/interleave.js";
import { REQUEST_COLUMNS, requestRow, type Table } from "../lib/result.js";
import type { ServerProcess } from "../lib/server-process.js";
import { type Suite, SERVERS } from "../lib/suite.js";
import type { Setup } from "../servers/contract.js";

const CASES: readonly {
  readonly id: string;
  readonly name: CaseName;
  readonly era: "legacy" | "modern";
  readonly tools: number;
}[] = [
  { id: "call-legacy", name: "call", era: "legacy", tools: 2 },
  { id: "call-modern", name: "call", era: "modern", tools: 2 },
  { id: "list-1000", name: "list", era: "legacy", tools: 1_000 },
];

/** The in-process suite. */
export const inProcess: Suite = {
  name: "in-process",
  title: "In-process, text to text",
  async *run(options) {
    for (const { id, name, era, tools } of CASES) {
      if (!options.wants("in-process", id)) continue;
      const mode = era === "modern" ? "modern" : "session";
      const setup = { wire: "in-process", mode, tools } as const;
      yield* withFleet(SERVERS.inProcess[era], setup, options, async function* ({ servers, absent }) {
        const contestants = servers.map((server) => ({
          name: server.name,
          slice: (ms: number) => runSlice(server, name, setup, ms),
        }));
        const samples = await interleave(contestants, options.pace);
        yield {
          id,
          title: `In-process ${name === "list" ? `tools/list, ${tools} tools` : "tools/call"}, ${era}`,
          metric: "cpu",
          floor: name === "list" ? "raw-fixed" : "raw-zod",
          columns: { cpu: REQUEST_COLUMNS.cpu, rate: REQUEST_COLUMNS.rate },
          rows: [...absent, ...[...samples].map(([server, list]) => requestRow(server, list))],
        } satisfies Table;
      });
    }
  },
};

/** Runs one slice, timed by the server's own process. */
export async function runSlice(server: ServerProcess, name: CaseName, { mode, tools }: Setup, ms: number) {
  const reply = await server.ask({ op: "run", name, mode, tools, ms });
  return {
    cpuUs: reply.cpuUs ?? 0,
    done: reply.done ?? 0,
    errors: reply.errors ?? 0,
    wallMs: (reply.wallUs ?? 0) / 1000,
  };
}
