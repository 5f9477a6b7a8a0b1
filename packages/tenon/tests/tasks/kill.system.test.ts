import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { makeFolder } from "../support/tasks/engine-harnesses.js";
import { DoomedServer } from "../support/tasks/kill-client.js";
import { KillDriver, TOOLS, type Tracked } from "../support/tasks/kill-driver.js";

/** Number of times that the server is killed. `KILLS=1000 PROPERTY_SEED=random npx vitest run tasks/kill` is a long test. */
const KILLS = Number(process.env["KILLS"] ?? 40);

const wantedSeed = process.env["PROPERTY_SEED"] ?? "1";
const seed = wantedSeed === "random" ? Date.now() % 2 ** 31 : Number(wantedSeed);

/** Creates a generator of numbers from 0 to 1. */
function createRandom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the number of lines in the side file, by their text. */
function readSideFile(path: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  for (const line of text.split("\n")) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

/** Checks the outcome of a task, after every process but the last was killed. */
function checkOutcome(driver: KillDriver, { taskId, id, tool, sent, acknowledged, last }: Tracked): void {
  const wasLost = tool.endsWith("-fail") ? driver.lost.has(taskId) : driver.lostInStep.has(taskId);
  if (tool === "endless") {
    expect(last, id).toMatchObject({ status: "cancelled" });
  } else if (wasLost) {
    expect(last, id).toMatchObject({ status: "failed", error: { code: -32603 } });
  } else {
    const answers = (TOOLS[tool] ?? []).map((key) => acknowledged.get(key) ?? sent.get(key));
    const wanted = answers.map((answer) => (Array.isArray(answer) ? `(?:${answer.join("|")})` : answer));
    const results = tool === "steps" ? [`paid-${id}`, `drawn-${id}`] : [];
    const text = new RegExp(`^${[id, ...wanted, ...results].join(" ")}$`);
    const content = [{ type: "text", text: expect.stringMatching(text) as unknown }];
    expect(last, id).toMatchObject({ status: "completed", result: { content } });
  }
}

test(`a server that is killed ${KILLS} times loses no task, answer, or step (PROPERTY_SEED=${seed})`, async () => {
  const folder = makeFolder();
  const directory = join(folder, "tasks");
  const sideFile = join(folder, "side.log");
  writeFileSync(sideFile, "");
  const random = createRandom(seed);
  const driver = new KillDriver(random);
  const start = () => new DoomedServer([directory, sideFile, random() < 0.5 ? "sync" : ""]);

  for (let kills = 0; kills < KILLS; kills++) {
    const server = start();
    const driving = driver.drive(server, 12);
    driving.catch(() => undefined); // reported below, when the server is gone
    // Some processes are killed while they start and read the log.
    if (random() < 0.7) await server.request("server/discover", {});
    await sleep(random() * 150);
    const running = notEnded(readSideFile(sideFile), driver.tasks);
    await server.kill();
    await driving;
    expect(server.errors).toBe("");
    if (existsSync(join(directory, "tasks.log"))) await driver.readRecords(directory);
    // The handlers that had started, and still have not ended, were lost.
    const stillRunning = new Set(notEnded(readSideFile(sideFile), driver.tasks).map(({ taskId }) => taskId));
    for (const { taskId, id } of running.filter((task) => stillRunning.has(task.taskId)))
      expect(driver.lost.has(taskId), `${id} was running when the server was killed.`).toBe(true);
  }

  const last = start();
  await driver.drive(last, 0);
  await last.kill();
  for (const task of driver.tasks) checkOutcome(driver, task);
  for (const [line, count] of readSideFile(sideFile))
    if (line.startsWith("pay ")) expect(count, `The step "${line}" ran ${count} times.`).toBe(1);
}, 1_200_000);

/** Returns the tasks whose handler has started more often than it has ended. */
function notEnded(counts: ReadonlyMap<string, number>, tasks: readonly Tracked[]): readonly Tracked[] {
  return tasks.filter(({ id }) => (counts.get(`start ${id}`) ?? 0) > (counts.get(`end ${id}`) ?? 0));
}
