import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { compileProgram } from "../../../../tools/compile-program.js";
import { ROOT } from "../../../../tools/source-files.js";
import { makeFolder, openStore } from "../support/storage/folders.js";

const CHILD = fileURLToPath(new URL("../support/storage/manage-child.ts", import.meta.url));
/** Number of kills. For more: `CRASH_REPEATS=100 npx vitest run packages/agent/tests/storage/manage-crash.test.ts`. */
const REPEATS = Number(process.env["CRASH_REPEATS"] ?? 3);

type Line = readonly [at: "begin" | "done", action: string, taskId: string, value: number];

/** State of one task: `undefined` if it does not exist. */
interface State {
  readonly title: string;
  readonly entries: readonly number[];
  readonly results: readonly string[];
  readonly parts: readonly string[];
}
type States = Map<string, State | undefined>;

/** Runs the child, kills it at a random point, and returns the complete lines that it printed. */
async function runAndKill(folder: string, first: number): Promise<readonly Line[]> {
  const child = spawn(process.execPath, [compileProgram(CHILD), folder, `${first}`], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: Line[] = [];
  const enough = randomInt(1, 400);
  const closed = once(child, "close");
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(JSON.parse(line) as Line);
    if (lines.length === enough) setTimeout(() => child.kill("SIGKILL"), randomInt(0, 10));
  });
  const [, signal] = (await closed) as [number | null, string | null];
  expect(signal).toBe("SIGKILL");
  return lines;
}

/** Returns the state of a task after an operation. */
function apply(state: State | undefined, [, action, taskId, value]: Line): State | undefined {
  if (action === "create") return { title: `${value}`, entries: [], results: [], parts: [] };
  if (action === "delete" || state === undefined) return undefined;
  if (action === "rename") return { ...state, title: `${value}` };
  if (action === "part") return { ...state, parts: [...state.parts, `${taskId}-part-${value}`].toSorted() };
  const results = action === "result" ? [...state.results, `${value}`] : state.results;
  return { ...state, entries: [...state.entries, value], results };
}

/** Reads the state of all tasks with a new store. */
async function readStates(folder: string, taskIds: readonly string[]): Promise<States> {
  const { store, warnings } = openStore(folder);
  const listed = new Map((await store.list(1000)).map(({ taskId, title }) => [taskId, title]));
  const folders = readdirSync(folder);
  // Nothing remains of interrupted creations and deletions.
  expect(folders.filter((name) => name.startsWith("."))).toEqual([]);
  const states: States = new Map();
  for (const taskId of taskIds) {
    const log = await store.open(taskId);
    expect([taskId, listed.get(taskId)]).toEqual([taskId, log?.title]);
    const parts = folders.filter((name) => name.startsWith(`${taskId}-part-`)).toSorted();
    if (log === undefined) expect([taskId, parts]).toEqual([taskId, []]);
    const results: string[] = [];
    for (const { storedResult } of log?.entries ?? []) {
      if (storedResult !== undefined)
        results.push((await store.results.read(taskId, storedResult))?.text ?? "lost");
    }
    const entries = (log?.entries ?? []).map(({ shown }) => Number(shown?.data["number"]));
    states.set(taskId, log && { title: log.title, entries, results, parts });
  }
  expect(warnings.filter((text) => !text.includes("dropped an incomplete write"))).toEqual([]);
  return states;
}

test(
  `acknowledged deletions, renames, and entries survive kills, and interrupted ones are whole or absent (${REPEATS} runs)`,
  { timeout: 30_000 + REPEATS * 10_000 },
  async () => {
    const folder = makeFolder();
    const taskIds = Array.from({ length: 12 }, (_, index) => `task-${index}`);
    let states: States = new Map();
    let next = 0;
    const counts: Record<string, number> = {};
    for (let kill = 1; kill <= REPEATS; kill++) {
      const lines = await runAndKill(folder, next);
      next = Math.max(next, ...lines.map(([, , , value]) => value + 1)) + 10;
      const found = await readStates(folder, taskIds);
      for (const taskId of taskIds) {
        let state = states.get(taskId);
        let pending: Line | undefined;
        for (const line of lines.filter(([, , id]) => id === taskId)) {
          pending = line[0] === "begin" ? line : undefined;
          if (line[0] === "done") state = apply(state, line);
          if (line[0] === "done") counts[line[1]] = (counts[line[1]] ?? 0) + 1;
        }
        const allowed = pending === undefined ? [state] : [state, apply(state, pending)];
        expect(allowed, `${taskId} after kill ${kill}, pending: ${pending?.join(" ")}`).toContainEqual(
          found.get(taskId),
        );
      }
      states = found;
    }
    if (process.env["CRASH_REPEATS"] !== undefined) {
      process.stderr.write(`${REPEATS} kills, acknowledged: ${JSON.stringify(counts)}, lost 0\n`);
    }
  },
);
