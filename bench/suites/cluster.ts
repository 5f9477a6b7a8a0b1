/**
 * @fileoverview Measures servers that consist of several processes: sessions, events, and tasks on Redis compared with
 * memory, and worker processes compared with one.
 * @module bench/suites/cluster
 */
import { type CaseName, EVENTS_PER_CALL, makeCase } from "../lib/cases.js";
import { type Fleet, withFleet } from "../lib/fleet.js";
import { LoadClient } from "../lib/http-client.js";
import { interleave } from "../lib/interleave.js";
import type { BenchOptions } from "../lib/options.js";
import { type Measurement, overProcesses } from "../lib/over-processes.js";
import { type BenchRedis, startBenchRedis } from "../lib/redis.js";
import { absentRow, REQUEST_COLUMNS, requestRow, type Row, type Table } from "../lib/result.js";
import { measureSizes } from "../lib/redis-sizes.js";
import type { Suite } from "../lib/suite.js";
import type { Mode } from "../servers/contract.js";
import { slice } from "./http.js";
import { measureTasks, TASK_COLUMNS } from "./tasks.js";

/** One comparison of servers. The first one is the baseline. */
interface Comparison {
  readonly id: string;
  readonly title: string;
  readonly servers: readonly string[];
  readonly name: CaseName;
  readonly mode: Mode;
  readonly connections: number;
  readonly onAllCores?: boolean;
}

const STORES = ["cluster-memory", "cluster-redis"] as const;
const WORKERS = ["cluster-workers-1", "cluster-workers-2"] as const;

const COMPARISONS: readonly Comparison[] = [
  {
    id: "session-1",
    title: "Call in a session, 1 connection",
    servers: STORES,
    name: "call",
    mode: "session",
    connections: 1,
  },
  {
    id: "session-32",
    title: "Call in a session, 32 connections",
    servers: STORES,
    name: "call",
    mode: "session",
    connections: 32,
  },
  {
    id: "modern-32",
    title: "Modern call, 32 connections",
    servers: STORES,
    name: "call",
    mode: "modern",
    connections: 32,
  },
  {
    id: "events",
    title: `Event of a stream (${EVENTS_PER_CALL} per call), 8 connections`,
    servers: STORES,
    name: "events",
    mode: "session",
    connections: 8,
  },
  {
    id: "workers-modern",
    title: "Workers on one core, modern call, 32 connections",
    servers: WORKERS,
    name: "call",
    mode: "modern",
    connections: 32,
  },
  {
    id: "workers-session",
    title: "Workers on one core, call in a session, 32 connections",
    servers: WORKERS,
    name: "call",
    mode: "session",
    connections: 32,
  },
  {
    id: "workers-all-cores",
    title: "Workers on all cores, which they share with the client, modern call, 32 connections",
    servers: WORKERS,
    name: "call",
    mode: "modern",
    connections: 32,
    onAllCores: true,
  },
];

/** The cluster suite. */
export const cluster: Suite = {
  name: "cluster",
  title: "Several processes and machines",
  async *run(options) {
    const redis = await startBenchRedis();
    try {
      for (const one of COMPARISONS) {
        if (options.wants("cluster", one.id)) yield await overProcesses(options, comparing(one, redis));
      }
      if (options.wants("cluster", "tasks")) yield await overProcesses(options, compareTasks);
      if (options.wants("cluster", "sizes")) yield* sizes(redis, options);
    } finally {
      await redis.stop();
    }
  },
};

function comparing(one: Comparison, redis: BenchRedis): Measurement {
  const { servers, mode, onAllCores = false } = one;
  return (options) =>
    withFleet(servers, { wire: "http", mode, tools: 2, onAllCores }, options, async function* (fleet) {
      yield await measure(one, redis, { fleet, options });
    });
}

interface Runtime {
  readonly fleet: Fleet;
  readonly options: BenchOptions;
}

async function measure(one: Comparison, redis: BenchRedis, { fleet, options }: Runtime): Promise<Table> {
  const { id, title, name, mode, connections } = one;
  const load = makeCase(name, mode, 2);
  const perCall = name === "events" ? EVENTS_PER_CALL : 1;
  const redisUs = new Map<string, { us: number; done: number }>();
  const clients = new Map<string, LoadClient>();
  const contestants = [];
  for (const server of fleet.servers) {
    // Opened for the first slice: servers close connections that wait too long for their first request.
    const connect = async () => {
      const client = await LoadClient.open({ port: server.port, mode, load, connections });
      clients.set(server.name, client);
      return client;
    };
    contestants.push({
      name: server.name,
      async slice(ms: number) {
        const client = clients.get(server.name) ?? (await connect());
        const before = redis.cpuUs();
        const sample = await slice(server, client, ms);
        const sum = redisUs.get(server.name) ?? { us: 0, done: 0 };
        const done = sample.done * perCall;
        redisUs.set(server.name, { us: sum.us + redis.cpuUs() - before, done: sum.done + done });
        return { ...sample, done };
      },
    });
  }
  // Each worker gets a part of the requests, and warms up with it.
  const warmMs = options.pace.warmMs * (one.servers === WORKERS ? WORKERS.length : 1);
  const samples = await interleave(contestants, { ...options.pace, warmMs });
  const rows = [...samples].map(([server, list]): Row => {
    const row = requestRow(server, list, clients.get(server)?.firstWrong);
    const { us, done } = redisUs.get(server) ?? { us: 0, done: 1 };
    return server === "cluster-redis" ? { ...row, figures: { ...row.figures, redis: us / done } } : row;
  });
  for (const client of clients.values()) client.close();
  const redisColumn = one.servers === STORES ? { redis: "Redis CPU µs" } : {};
  return {
    id,
    title,
    metric: "cpu",
    ...(one.servers[0] === undefined ? {} : { floor: one.servers[0] }),
    columns: { ...REQUEST_COLUMNS, ...redisColumn },
    rows: [...fleet.absent, ...rows],
  };
}

const TASK_COUNTS = { quick: 300, normal: 1_000, full: 3_000 } as const;

async function* compareTasks({ size }: BenchOptions): AsyncGenerator<Table> {
  const rows: Row[] = [];
  for (const engine of ["memory", "redis"]) {
    try {
      rows.push(await measureTasks(engine, TASK_COUNTS[size]));
    } catch (error) {
      rows.push(absentRow(engine, error));
    }
  }
  yield {
    id: "tasks",
    title: "Tasks in one process: create, run, and read the result",
    metric: "cpu",
    floor: "memory",
    columns: { ...TASK_COLUMNS, redis: "Redis CPU µs" },
    rows,
  };
}

async function* sizes(redis: BenchRedis, options: BenchOptions): AsyncGenerator<Table> {
  const setup = { wire: "http", mode: "session", tools: 2 } as const;
  yield* withFleet(["cluster-redis"], setup, options, async function* ({ servers, absent }) {
    const [server] = servers;
    yield {
      id: "sizes",
      title: "Memory in Redis",
      metric: "bytes",
      columns: { bytes: "bytes each", perGb: "per GB" },
      rows: server === undefined ? absent : await measureSizes(server.port, redis),
    };
  });
}
