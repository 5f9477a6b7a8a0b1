/**
 * @fileoverview Measures the time from the start of a process with one tool on stdio to its first response.
 * @module bench/suites/cold-start
 */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { INITIALIZE } from "../lib/cases.js";
import { onServerCore } from "../lib/cores.js";
import { BUILD } from "../lib/paths.js";
import { absentRow, middle, type Row } from "../lib/result.js";
import { spread } from "../lib/stats.js";
import type { Suite } from "../lib/suite.js";

const SERVERS = ["bare", "raw-zod", "tenon", "tmcp", "official-v2", "official-v1", "fastmcp"];
const SPAWNS = { quick: 5, normal: 15, full: 41 } as const;
const PATIENCE_MS = 20_000;

/** The cold start suite. */
export const coldStart: Suite = {
  name: "cold-start",
  title: "Cold start",
  async *run(options) {
    const names = SERVERS.filter((name) => name === "bare" || options.takes(name));
    const times = new Map<string, Start[]>(names.map((name) => [name, []]));
    const absent = new Map<string, Row>();
    // The first round fills the page cache and is not counted.
    for (let round = -1; round < SPAWNS[options.size]; round++) {
      for (let turn = 0; turn < names.length; turn++) {
        const name = names[(round + 1 + turn) % names.length] ?? "bare";
        if (absent.has(name)) continue;
        try {
          const start = await firstAnswer(name);
          if (round >= 0) times.get(name)?.push(start);
        } catch (error) {
          absent.set(name, absentRow(name, error));
        }
      }
    }
    const rows = names.map((server): Row => {
      const starts = times.get(server) ?? [];
      const total = spread(starts.map(({ wallMs }) => wallMs));
      const cpu = spread(starts.map(({ cpuMs }) => cpuMs));
      return absent.get(server) ?? { server, figures: { total, cpu }, errors: 0 };
    });
    const over = (row: Row, floor: string, key: string) =>
      middle(row.figures[key]) - middle(rows.find(({ server }) => server === floor)?.figures[key]);
    yield {
      id: "stdio",
      title: "Cold start of one tool on stdio, until the first response",
      metric: "total",
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
          overBare: over(row, "bare", "total"),
          overRaw: over(row, "raw-zod", "total"),
          cpuOverRaw: over(row, "raw-zod", "cpu"),
        },
      })),
    };
  },
};

/** Time until the first response, and the CPU time of the process. */
interface Start {
  readonly wallMs: number;
  /** CPU time in milliseconds, if the system reports it. */
  readonly cpuMs: number;
}

function firstAnswer(name: string): Promise<Start> {
  const [program, args] = onServerCore(process.execPath, [`${BUILD}/hello-${name}.js`]);
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(program, args, {
      stdio: ["pipe", "pipe", "ignore"],
      env: { ...process.env, NODE_ENV: "production" },
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
    let said = "";
    let found: Start | undefined;
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (found !== undefined || !said.includes("\n")) return;
      found = { wallMs: performance.now() - start, cpuMs: readCpuMs(child.pid) };
      child.kill("SIGKILL");
    });
    child.on("exit", () => {
      clearTimeout(timer);
      if (found !== undefined && said.includes('"result"')) resolve(found);
      else reject(new Error(`No response: ${said.slice(0, 100)}`));
    });
    child.stdin.write(`${INITIALIZE}\n`);
  });
}

/** Returns the CPU time of all threads of a process. Linux reports it in nanoseconds. */
function readCpuMs(pid: number | undefined): number {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const times = tasks.map((task) => readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8"));
    return times.reduce((sum, line) => sum + Number(line.split(" ", 1)[0]), 0) / 1e6;
  } catch {
    return Number.NaN;
  }
}
