/**
 * @fileoverview Measures event streams: calls with progress, a change on 1,000 open streams, and resumption.
 * @module bench/suites/streams
 */
import { PROGRESS_PER_CALL } from "../lib/cases.js";
import { type Fleet, withFleet } from "../lib/fleet.js";
import { type Contestant, interleave, type Sample } from "../lib/interleave.js";
import { ListenClient } from "../lib/listen-client.js";
import type { BenchOptions } from "../lib/options.js";
import { absentRow, REQUEST_COLUMNS, requestRow, type Row, type Table } from "../lib/result.js";
import { REPLAYED, ResumeClient } from "../lib/resume-client.js";
import type { ServerProcess } from "../lib/server-process.js";
import type { Suite } from "../lib/suite.js";
import type { Mode } from "../servers/contract.js";
import { measure } from "./http.js";

const SERVERS = ["raw-sse", "tenon", "official-v2"] as const;
const FLOOR = "raw-sse";
const LISTENERS = 1_000;

/** The streams suite. */
export const streams: Suite = {
  name: "streams",
  title: "Streams",
  async *run(options) {
    for (const mode of ["modern", "session"] as const) {
      if (options.wants("streams", `progress-${mode}`)) yield* measureProgress(mode, options);
    }
    if (options.wants("streams", "listen")) yield* measureListen(options);
    if (options.wants("streams", "resume")) yield* measureResume(options);
  },
};

function setupOf(mode: Mode) {
  return { family: "streams", wire: "http", mode, tools: 1 } as const;
}

function measureProgress(mode: Mode, options: BenchOptions): AsyncIterable<Table> {
  const setup = setupOf(mode);
  return withFleet(SERVERS, setup, options, async function* (fleet) {
    const table = await measure({ name: "progress", connections: 8 }, setup, fleet, options);
    const kept = mode === "session" ? ", kept for resumption" : "";
    yield {
      ...table,
      id: `progress-${mode}`,
      title: `Call with ${PROGRESS_PER_CALL} progress events over SSE${kept}, ${mode}, 8 connections`,
      floor: FLOOR,
    };
  });
}

function measureListen(options: BenchOptions): AsyncIterable<Table> {
  return withFleet(SERVERS, setupOf("modern"), options, async function* (fleet) {
    const rows = await contest(fleet, options, async (server) => {
      const client = await ListenClient.open(server.port, LISTENERS);
      return { client, slice: (ms) => publishFor(server, client, ms), close: () => client.close() };
    });
    yield {
      id: "listen",
      title: `A change on ${LISTENERS.toLocaleString("en")} open subscriptions/listen streams, per event`,
      metric: "cpu",
      floor: FLOOR,
      columns: { cpu: "CPU µs", rate: "per s", p50: "p50 ms to the last stream", p99: "p99 ms" },
      rows,
    };
  });
}

/** Publishes changes one after the other, each when the last one has arrived on every stream. */
async function publishFor(server: ServerProcess, client: ListenClient, ms: number): Promise<Sample> {
  const before = await server.cpuUs();
  const start = performance.now();
  const total = { done: 0, errors: 0, latencies: [] as number[] };
  do {
    const sentAt = performance.now();
    const arrived = client.expectChange();
    await server.ask({ op: "publish" });
    const { delivered, errors } = await arrived;
    total.latencies.push(performance.now() - sentAt);
    total.done += delivered;
    total.errors += errors;
  } while (performance.now() < start + ms && total.errors === 0);
  const wallMs = performance.now() - start;
  return { ...total, wallMs, cpuUs: (await server.cpuUs()) - before };
}

function measureResume(options: BenchOptions): AsyncIterable<Table> {
  return withFleet(SERVERS, setupOf("session"), options, async function* (fleet) {
    const rows = await contest(fleet, options, async (server) => {
      const client = await ResumeClient.open(server.port);
      const slice = async (ms: number) => {
        const before = await server.cpuUs();
        const sample = await client.run(ms);
        return { ...sample, cpuUs: (await server.cpuUs()) - before };
      };
      return { client, slice, close: () => {} };
    });
    yield {
      id: "resume",
      title: `Resumption with Last-Event-ID on a new connection, ${REPLAYED} events replayed, session`,
      metric: "cpu",
      floor: FLOOR,
      columns: REQUEST_COLUMNS,
      rows,
    };
  });
}

/** A connected client and its measurement. */
interface Entry {
  readonly client: { readonly firstWrong: string | undefined };
  readonly slice: Contestant["slice"];
  readonly close: () => void;
}

/** Connects a client to every server, and measures them in turns. */
async function contest(
  { servers, absent }: Fleet,
  { pace }: BenchOptions,
  connect: (server: ServerProcess) => Promise<Entry>,
): Promise<readonly Row[]> {
  const rows: Row[] = [...absent];
  const entries = new Map<string, Entry>();
  for (const server of servers) {
    try {
      entries.set(server.name, await connect(server));
    } catch (error) {
      rows.push(absentRow(server.name, error));
    }
  }
  const contestants = [...entries].map(([name, { slice }]) => ({ name, slice }));
  const samples = await interleave(contestants, pace);
  for (const [name, list] of samples) rows.push(requestRow(name, list, entries.get(name)?.client.firstWrong));
  for (const { close } of entries.values()) close();
  return rows;
}
