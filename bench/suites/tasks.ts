/**
 * @fileoverview Measures tasks: throughput, the delay until a handler starts, and the memory of a waiting task.
 * @module bench/suites/tasks
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { onServerCore } from "../lib/cores.js";
import { BUILD } from "../lib/paths.js";
import { absentRow, type Row } from "../lib/result.js";
import { quantile, spread } from "../lib/stats.js";
import type { Suite } from "../lib/suite.js";

const run = promisify(execFile);

/** Engines. `inline` runs the same tool in its request and is the baseline. */
const ENGINES = ["inline", "memory", "directory-no-sync", "directory"];

const COUNTS = { quick: 1_000, normal: 5_000, full: 10_000 } as const;

/** Figures that the measured process prints. */
interface Figures {
  readonly count: number;
  readonly slices: readonly { readonly wallMs: number; readonly cpuMs: number; readonly redisUs: number }[];
  readonly pickupMs: readonly number[];
  readonly waitingBytes?: number;
}

/** The tasks suite. */
export const tasks: Suite = {
  name: "tasks",
  title: "Tasks",
  async *run(options) {
    const rows: Row[] = [];
    for (const engine of ENGINES) {
      try {
        rows.push(await measureTasks(engine, COUNTS[options.size]));
      } catch (error) {
        rows.push(absentRow(engine, error));
      }
    }
    yield {
      id: "engines",
      title: "Tasks in one process: create, run, and read the result",
      metric: "cpu",
      floor: "inline",
      columns: TASK_COLUMNS,
      rows,
    };
  },
};

/** Columns of task measurements. */
export const TASK_COLUMNS = {
  cpu: "CPU µs per task",
  rate: "tasks per s",
  pickup: "pickup p50 ms",
  pickup99: "pickup p99 ms",
  waiting: "bytes per waiting task",
} as const;

/** Measures an engine in a new process. */
export async function measureTasks(engine: string, count: number): Promise<Row> {
  return toRow(engine, await measure(engine, count));
}

async function measure(engine: string, count: number): Promise<Figures> {
  const script = `${BUILD}/servers-task-engines.js`;
  const [program, args] = onServerCore(process.execPath, [script, engine, String(count), String(count)]);
  const { stdout } = await run(program, [...args], { maxBuffer: 16 * 1024 ** 2 });
  return JSON.parse(stdout) as Figures; // Safe: the script above prints this shape
}

function toRow(server: string, { count, slices, pickupMs, waitingBytes }: Figures): Row {
  const pickups = [...pickupMs].sort((a, b) => a - b);
  return {
    server,
    figures: {
      cpu: spread(slices.map(({ cpuMs }) => (cpuMs * 1000) / count)),
      rate: spread(slices.map(({ wallMs }) => (count / wallMs) * 1000)),
      ...(pickups.length === 0 ? {} : { pickup: quantile(pickups, 0.5), pickup99: quantile(pickups, 0.99) }),
      ...(server === "redis" ? { redis: spread(slices.map(({ redisUs }) => redisUs / count)) } : {}),
      ...(waitingBytes === undefined ? {} : { waiting: waitingBytes }),
    },
    errors: 0,
  };
}
