/**
 * @fileoverview Measures requests without a transport: a message in and its response out, both as text or as objects.
 * @module bench/suites/in-process
 */
import { type CaseName } from "../lib/cases.js";
import { withFleet } from "../lib/fleet.js";
import { interleave } from "../lib/interleave.js";
import { REQUEST_COLUMNS, requestRow, type Table } from "../lib/result.js";
import type { ServerProcess } from "../lib/server-process.js";
import { type Suite, SERVERS, serversFor } from "../lib/suite.js";
import { WITH_ORDER } from "../servers/tools.js";
import type { Setup } from "../servers/contract.js";

interface InProcessCase {
  readonly id: string;
  readonly wire: "in-process" | "objects";
  readonly name: CaseName;
  readonly era: "legacy" | "modern";
  readonly tools: number;
}

const CASES: readonly InProcessCase[] = [
  { id: "order-legacy", wire: "in-process", name: "order", era: "legacy", tools: WITH_ORDER },
  { id: "order-modern", wire: "in-process", name: "order", era: "modern", tools: WITH_ORDER },
  { id: "objects-legacy", wire: "objects", name: "order", era: "legacy", tools: WITH_ORDER },
  { id: "objects-modern", wire: "objects", name: "order", era: "modern", tools: WITH_ORDER },
  { id: "call-legacy", wire: "in-process", name: "call", era: "legacy", tools: 2 },
  { id: "call-modern", wire: "in-process", name: "call", era: "modern", tools: 2 },
  { id: "list-1000", wire: "in-process", name: "list", era: "legacy", tools: 1_000 },
];

/** The in-process suite. */
export const inProcess: Suite = {
  name: "in-process",
  title: "In-process, text to text and object to object",
  async *run(options) {
    for (const one of CASES) {
      if (!options.wants("in-process", one.id)) continue;
      const { id, wire, name, era, tools } = one;
      const mode = era === "modern" ? "modern" : "session";
      const setup = { wire, mode, tools } as const;
      const names = serversFor(SERVERS[wire === "objects" ? "objects" : "inProcess"][era], name);
      yield* withFleet(names, setup, options, async function* ({ servers, absent }) {
        const contestants = servers.map((server) => ({
          name: server.name,
          slice: (ms: number) => runSlice(server, name, setup, ms),
        }));
        const samples = await interleave(contestants, options.pace);
        yield {
          id,
          title: titleOf(one),
          metric: "cpu",
          floor: name === "list" ? "raw-fixed" : "raw-zod",
          columns: { cpu: REQUEST_COLUMNS.cpu, rate: REQUEST_COLUMNS.rate },
          rows: [...absent, ...[...samples].map(([server, list]) => requestRow(server, list))],
        } satisfies Table;
      });
    }
  },
};

function titleOf({ wire, name, era, tools }: InProcessCase): string {
  if (name === "list") return `In-process tools/list, ${tools} tools, ${era}`;
  const kind = name === "order" ? "realistic tools/call" : "tools/call";
  return `In-process ${kind}, ${wire === "objects" ? "object to object" : "text to text"}, ${era}`;
}

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
