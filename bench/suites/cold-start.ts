/**
 * @fileoverview Measures the time from the start of a process with one tool to its first response, over stdio and HTTP.
 * @module bench/suites/cold-start
 */
import { firstResponse, type Start, type StartTransport } from "../lib/first-response.js";
import type { BenchOptions } from "../lib/options.js";
import { absentRow, middle, middleOfRounds, type Row, type Table } from "../lib/result.js";
import { spread } from "../lib/stats.js";
import type { Suite } from "../lib/suite.js";

/** Programs of each transport. `tenon` on stdio uses `serveStdio`, and `tenon-serve` uses `serve`. */
const PROGRAMS: Readonly<Record<StartTransport, readonly string[]>> = {
  stdio: ["bare", "raw-zod", "tenon", "tenon-serve", "tmcp", "official-v2", "official-v1", "fastmcp"],
  http: ["bare", "raw-zod", "tenon", "mcp-lite", "official-v2"],
};

const SPAWNS = { quick: 9, normal: 15, full: 41 } as const;

/** The cold start suite. */
export const coldStart: Suite = {
  name: "cold-start",
  title: "Cold start",
  async *run(options) {
    for (const transport of ["stdio", "http"] as const) {
      if (options.wants("cold-start", transport)) yield toTable(transport, await measure(transport, options));
    }
  },
};

async function measure(transport: StartTransport, options: BenchOptions): Promise<readonly Row[]> {
  const names = PROGRAMS[transport].filter((name) => name === "bare" || options.takes(name));
  const times = new Map<string, Start[]>(names.map((name) => [name, []]));
  const absent = new Map<string, Row>();
  // The first round fills the page cache and is not counted.
  for (let round = -1; round < SPAWNS[options.size]; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + 1 + turn) % names.length] ?? "bare";
      if (absent.has(name)) continue;
      try {
        const start = await firstResponse(name, transport);
        if (round >= 0) times.get(name)?.push(start);
      } catch (error) {
        absent.set(name, absentRow(name, error));
      }
    }
  }
  return names.map((server): Row => {
    const starts = times.get(server) ?? [];
    const total = spread(starts.map(({ wallMs }) => wallMs));
    const cpu = spread(starts.map(({ cpuMs }) => cpuMs));
    const rounds = starts.map(({ wallMs }) => wallMs);
    return absent.get(server) ?? { server, figures: { total, cpu }, rounds, errors: 0 };
  });
}

function toTable(transport: StartTransport, rows: readonly Row[]): Table {
  const find = (server: string) => rows.find((row) => row.server === server);
  const over = (row: Row, floor: string) =>
    middleOfRounds(row, find(floor), (own, other) => own - other) ?? Number.NaN;
  const cpuOver = (row: Row, floor: string) =>
    middle(row.figures["cpu"]) - middle(find(floor)?.figures["cpu"]);
  return {
    id: transport,
    title: `Cold start of one tool ${transport === "stdio" ? "on stdio" : "over HTTP"}, until the first response`,
    metric: "total",
    floor: "raw-zod",
    columns: {
      total: "ms total",
      overBare: "over bare Node",
      overRaw: "over raw-zod",
      cpu: "CPU ms",
      cpuOverRaw: "CPU over raw-zod",
    },
    rows: rows.map((row) => ({
      ...row,
      figures: {
        ...row.figures,
        overBare: over(row, "bare"),
        overRaw: over(row, "raw-zod"),
        cpuOverRaw: cpuOver(row, "raw-zod"),
      },
    })),
  };
}
