/**
 * @fileoverview Measures requests over HTTP: three modes, three sizes, one to many connections.
 * @module bench/suites/http
 */
import { type CaseName, makeCase, PROGRESS_PER_CALL } from "../lib/cases.js";
import { type Fleet, withFleet } from "../lib/fleet.js";
import { LoadClient } from "../lib/http-client.js";
import { type Contestant, interleave, type Sample } from "../lib/interleave.js";
import type { BenchOptions, Size } from "../lib/options.js";
import { REQUEST_COLUMNS, requestRow, type Row, type Table } from "../lib/result.js";
import type { MeasuredServer } from "../lib/server-process.js";
import { ACCEPTS, type Suite, SERVERS, serversFor } from "../lib/suite.js";
import type { Mode } from "../servers/contract.js";
import { WITH_ORDER } from "../servers/tools.js";

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
    tools: WITH_ORDER,
    cases: [
      { name: "order", connections: 32, from: "quick" },
      { name: "order", connections: 1, from: "full" },
      { name: "order", connections: 256, from: "full" },
    ],
  },
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

/** Titles of the cases. */
const TITLES: Readonly<Record<CaseName, string>> = {
  order: "realistic tools/call",
  call: "tools/call",
  echo: "tools/call with 100 kB",
  list: "tools/list, 100 tools",
  action: "tools/call of an action",
  events: "tools/call with 100 events",
  progress: `tools/call with ${PROGRESS_PER_CALL} progress events`,
  text_1mb: "tools/call, 1 MB of text",
  unicode_1mb: "tools/call, 1 MB of text beyond Latin-1",
  structured_1mb: "tools/call, 1 MB of structured content, also sent as text",
  image_5mb: "tools/call, image of 5 MB",
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
      const servers = serversFor(SERVERS.http[mode], wanted[0]?.name ?? "");
      yield* withFleet(servers, { wire: "http", mode, tools }, options, async function* (fleet) {
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
  { servers, absent }: Fleet<MeasuredServer>,
  { pace }: Pick<BenchOptions, "pace">,
): Promise<Table> {
  const load = makeCase(one.name, mode, tools);
  const clients = new Map<string, LoadClient>();
  const failures = new Map<string, string>();
  const contestants = servers.map((server): Contestant => {
    const { name, port } = server;
    // Opened for the first slice: servers close connections that wait too long for their first request.
    const connect = async () => {
      const accept = ACCEPTS[name];
      const client = await LoadClient.open({ port, mode, load, connections: one.connections, accept });
      clients.set(name, client);
      return client;
    };
    return {
      name,
      async slice(ms) {
        if (failures.has(name)) return NO_SAMPLE;
        try {
          return await slice(server, clients.get(name) ?? (await connect()), ms);
        } catch (error) {
          failures.set(name, error instanceof Error ? error.message : String(error));
          return NO_SAMPLE;
        }
      },
    };
  });
  const samples = await interleave(contestants, pace);
  const floor = FLOORS[one.name] ?? "raw-zod";
  const rows: Row[] = [...absent];
  for (const [name, list] of samples) {
    const wrong = failures.get(name) ?? clients.get(name)?.firstWrong;
    rows.push(requestRow(name, list, wrong ?? describeDifference(name, floor, clients)));
  }
  for (const client of clients.values()) client.close();
  return {
    id: idOf(one, mode),
    title: `HTTP ${TITLES[one.name]}, ${mode}, ${one.connections} connection${one.connections === 1 ? "" : "s"}`,
    metric: "cpu",
    floor,
    columns: REQUEST_COLUMNS,
    rows,
  };
}

/** Slice of a server that cannot be measured. */
const NO_SAMPLE: Sample = { cpuUs: 0, done: 0, errors: 0, wallMs: 0 };

/** Baselines other than raw-zod. */
const FLOORS: Partial<Readonly<Record<CaseName, string>>> = { list: "raw-fixed", progress: "raw-sse" };

/** Describes a difference between the messages of Tenon and of the baseline, which must be the same for a comparison. */
function describeDifference(
  name: string,
  floor: string,
  clients: ReadonlyMap<string, LoadClient>,
): string | undefined {
  const [own, base] = [clients.get(name), clients.get(floor)];
  if (!name.startsWith("tenon") || own === undefined || base === undefined) return undefined;
  return own.receivedSameAs(base) ? undefined : `Its responses differ from those of ${floor}.`;
}

/** Measures one slice of one server. */
export async function slice(server: MeasuredServer, client: LoadClient, ms: number) {
  const before = await server.cpuUs();
  const { done, errors, wallMs, latencies } = await client.run({ ms });
  const after = await server.cpuUs();
  return { cpuUs: after - before, done, errors, wallMs, latencies };
}
