/**
 * @fileoverview Measures requests over HTTP: three modes, three sizes, one to many connections.
 * @module bench/suites/http
 */
import { type CaseName, makeCase } from "../lib/cases.js";
import { type Fleet, withFleet } from "../lib/fleet.js";
import { LoadClient } from "../lib/http-client.js";
import { type Contestant, interleave } from "../lib/interleave.js";
import type { BenchOptions, Size } from "../lib/options.js";
import { absentRow, REQUEST_COLUMNS, requestRow, type Row, type Table } from "../lib/result.js";
import type { ServerProcess } from "../lib/server-process.js";
import { ACCEPTS, type Suite, SERVERS } from "../lib/suite.js";
import type { Mode } from "../servers/contract.js";

interface HttpCase {
  readonly name: CaseName;
  readonly connections: number;
  /** Smallest run that includes the case. */
  readonly from: Size;
}

interface Group {
  readonly mode: Mode;
  readonly tools: number;
  readonly cases: readonly HttpCase[];
}

const MODES: readonly Mode[] = ["stateless", "session", "modern"];

const GROUPS: readonly Group[] = MODES.flatMap((mode) => [
  {
    mode,
    tools: 2,
    cases: [
      { name: "call", connections: 32, from: "quick" },
      { name: "call", connections: 1, from: mode === "stateless" ? "normal" : "full" },
      { name: "call", connections: 256, from: mode === "stateless" ? "normal" : "full" },
      { name: "echo", connections: 32, from: mode === "stateless" ? "quick" : "normal" },
    ],
  },
  {
    mode,
    tools: 100,
    cases: [
      { name: "list", connections: 32, from: mode === "stateless" ? "quick" : "normal" },
      { name: "list", connections: 1, from: "full" },
      { name: "list", connections: 256, from: "full" },
    ],
  },
]);

const TITLES: Readonly<Record<CaseName, string>> = {
  call: "tools/call",
  echo: "tools/call with 100 kB",
  list: "tools/list, 100 tools",
  action: "tools/call of an action",
  events: "tools/call with 100 events",
};

const SIZES: readonly Size[] = ["quick", "normal", "full"];

/** The HTTP suite. */
export const http: Suite = {
  name: "http",
  title: "HTTP",
  async *run(options) {
    for (const { mode, tools, cases } of GROUPS) {
      const wanted = cases.filter(
        (one) =>
          SIZES.indexOf(one.from) <= SIZES.indexOf(options.size) && options.wants("http", idOf(one, mode)),
      );
      if (wanted.length === 0) continue;
      yield* withFleet(SERVERS.http[mode], { wire: "http", mode, tools }, options, async function* (fleet) {
        for (const one of wanted) yield await measure(one, { mode, tools }, fleet, options);
      });
    }
  },
};

function idOf({ name, connections }: Pick<HttpCase, "name" | "connections">, mode: Mode): string {
  return `${name}-${mode}-${connections}`;
}

/** Measures one case on every server of a fleet. */
export async function measure(
  one: Pick<HttpCase, "name" | "connections">,
  { mode, tools }: { readonly mode: Mode; readonly tools: number },
  { servers, absent }: Fleet,
  { pace }: Pick<BenchOptions, "pace">,
): Promise<Table> {
  const load = makeCase(one.name, mode, tools);
  const rows: Row[] = [...absent];
  const clients = new Map<string, LoadClient>();
  const contestants: Contestant[] = [];
  for (const server of servers) {
    try {
      const client = await LoadClient.open({
        port: server.port,
        mode,
        load,
        connections: one.connections,
        accept: ACCEPTS[server.name],
      });
      clients.set(server.name, client);
      contestants.push({ name: server.name, slice: (ms) => slice(server, client, ms) });
    } catch (error) {
      rows.push(absentRow(server.name, error));
    }
  }
  const samples = await interleave(contestants, pace);
  for (const [name, list] of samples) rows.push(requestRow(name, list, clients.get(name)?.firstWrong));
  for (const client of clients.values()) client.close();
  return {
    id: idOf(one, mode),
    title: `HTTP ${TITLES[one.name]}, ${mode}, ${one.connections} connection${one.connections === 1 ? "" : "s"}`,
    metric: "cpu",
    floor: one.name === "list" ? "raw-fixed" : "raw-zod",
    columns: REQUEST_COLUMNS,
    rows,
  };
}

/** Measures one slice of one server. */
export async function slice(server: ServerProcess, client: LoadClient, ms: number) {
  const before = await server.cpuUs();
  const { done, errors, wallMs, latencies } = await client.run({ ms });
  const after = await server.cpuUs();
  return { cpuUs: after - before, done, errors, wallMs, latencies };
}
