/**
 * @fileoverview Measures large results over HTTP: CPU time per call, and the memory high-water mark of a new process.
 * @module bench/suites/large
 */
import { makeCase } from "../lib/cases.js";
import { withFleet } from "../lib/fleet.js";
import { LoadClient } from "../lib/http-client.js";
import { LARGE_NAMES, type LargeName } from "../lib/large-results.js";
import type { BenchOptions } from "../lib/options.js";
import { absentRow, REQUEST_COLUMNS, type Row, type Table } from "../lib/result.js";
import type { ServerProcess } from "../lib/server-process.js";
import type { Suite } from "../lib/suite.js";
import { measure } from "./http.js";

const SERVERS = ["raw-zod", "tenon", "official-v2"] as const;
const SETUP = { family: "large", wire: "http", mode: "modern", tools: LARGE_NAMES.length } as const;
const CONNECTIONS = 4;

/** Number of calls for the high-water mark. */
const CALLS = { quick: 40, normal: 100, full: 200 } as const;
const PATIENCE_MS = 120_000;
const MIB = 1024 * 1024;

/** The suite of large results. */
export const large: Suite = {
  name: "large",
  title: "Large results",
  async *run(options) {
    for (const name of LARGE_NAMES) {
      if (!options.wants("large", name)) continue;
      yield* withFleet(SERVERS, SETUP, options, async function* (fleet) {
        const table = await measure({ name, connections: CONNECTIONS }, SETUP, fleet, options);
        yield withPeaks({ ...table, id: name }, await measurePeaks(name, options));
      });
    }
  },
};

function withPeaks(table: Table, peaks: readonly Row[]): Table {
  return {
    ...table,
    columns: {
      ...REQUEST_COLUMNS,
      maxRss: "max RSS MiB",
      grown: "RSS MiB grown",
      maxHeap: "max heap MiB",
      maxExternal: "max external MiB",
    },
    rows: table.rows.map((row) => {
      const peak = peaks.find(({ server }) => server === row.server);
      return { ...row, figures: { ...row.figures, ...peak?.figures } };
    }),
  };
}

/** Measures the high-water mark of each server in a new process, one server after the other. */
async function measurePeaks(name: LargeName, options: BenchOptions): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const one of SERVERS.filter((server) => options.takes(server))) {
    const work = withFleet([one], SETUP, options, async function* ({ servers }) {
      for (const server of servers) yield await peakOf(server, name, CALLS[options.size]);
    });
    try {
      for await (const row of work) rows.push(row);
    } catch (error) {
      rows.push(absentRow(one, error));
    }
  }
  return rows;
}

async function peakOf(server: ServerProcess, name: LargeName, requests: number): Promise<Row> {
  const { mode, tools } = SETUP;
  const client = await LoadClient.open({
    port: server.port,
    mode,
    load: makeCase(name, mode, tools),
    connections: CONNECTIONS,
  });
  const idle = await server.ask({ op: "memory" });
  await server.ask({ op: "watch" });
  const { errors } = await client.run({ ms: PATIENCE_MS, requests });
  const {
    maxRss = Number.NaN,
    maxHeap = Number.NaN,
    maxExternal = Number.NaN,
  } = await server.ask({
    op: "peak",
  });
  client.close();
  if (errors > 0)
    throw new Error(`${errors} of ${requests} responses were wrong. ${client.firstWrong ?? ""}`);
  return {
    server: server.name,
    figures: {
      maxRss: maxRss / MIB,
      grown: (maxRss - (idle.rss ?? 0)) / MIB,
      maxHeap: maxHeap / MIB,
      maxExternal: maxExternal / MIB,
    },
  };
}
