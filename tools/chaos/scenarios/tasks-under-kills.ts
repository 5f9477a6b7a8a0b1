/**
 * @fileoverview Tasks of all policies while nodes are killed and connections to Redis are cut at random.
 * @module tools/chaos/scenarios/tasks-under-kills
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Cluster } from "../cluster.js";
import { percentile } from "../../figures.js";
import { forEachLimited, waitFor } from "../http.js";
import { countRepeatedSteps, type JournalLine, type Run, toRuns } from "../journal.js";
import { RedisClient } from "../redis-client.js";
import type { ScenarioContext } from "../scale.js";
import { createTask, fingerprint, getTask, isTerminal, textOf, type WireTask } from "../task-client.js";

/** Task that the test has created. */
interface Tracked {
  readonly taskId: string;
  readonly principal: string;
  readonly tool: string;
  readonly n: number;
  readonly createdAt: number;
  /** State when the task was first seen as finished. */
  first?: WireTask;
  firstSeenAt?: number;
  /** Number of later reads that differed from the first one. */
  changes: number;
}

/** Runs the scenario. */
export async function tasksUnderKills(context: ScenarioContext): Promise<void> {
  const { cluster, scale, figures } = context;
  const tracked: Tracked[] = [];
  const killsBefore = cluster.kills.length;
  let isOver = false;

  const killing = killNodes(context, tracked);
  // The tasks take a little longer than the kills, which wait for them, so that every kill meets running tasks.
  const seconds = (scale.kills * (scale.killEveryMs[0] + scale.killEveryMs[1])) / 2_000;
  const creating = createTasks(context, tracked, 1.15 * seconds * 1_000);
  const rechecking = recheck(context, tracked, () => isOver);
  await killing;
  await creating;
  await waitFor("all tasks finish", FINISH_MS, () => pollAll(context, tracked)).catch(() => undefined);
  isOver = true;
  await rechecking;
  await forEachLimited(tracked, 16, (task) => compare(context, task));

  const kills = cluster.kills.length - killsBefore;
  figures.atLeast("tasks that ran", toRuns(cluster.readJournal()).size, 0.9 * scale.tasks);
  figures.exactly("tasks created", tracked.length, scale.tasks);
  figures.exactly("random SIGKILLs", kills, scale.kills);
  figures.exactly("tasks in a terminal state", finished(tracked), scale.tasks);
  judge(context, tracked);
  figures.exactly("records with a job left", await countJobs(cluster), 0);
}

/** Kills nodes while the tasks are created. Prefers a moment at which the node runs a task. */
async function killNodes(context: ScenarioContext, tracked: readonly Tracked[]): Promise<void> {
  const { cluster, scale, random, print } = context;
  for (let count = 1; count <= scale.kills; count++) {
    await sleep(random.between(...scale.killEveryMs));
    const due = Math.floor((scale.tasks * (count - 0.5)) / scale.kills);
    await waitFor(`${due} tasks are created`, FINISH_MS, () => tracked.length >= due || undefined);
    const node = random.pick(cluster.nodes);
    const isRunning = () => isRunningTask(cluster.readJournal(), node.pid) || undefined;
    await waitFor("the node runs a task", 1_000, isRunning).catch(() => undefined);
    await node.kill();
    // The others go on while the node starts.
    void node.start();
    if (random.chance(0.1)) await cluster.proxy.cut();
    if (count % 10 === 0) print(`${count} kills, ${tracked.length} tasks, ${finished(tracked)} finished`);
  }
}

function isRunningTask(journal: readonly JournalLine[], pid: number): boolean {
  const own = journal.filter((line) => line.pid === pid);
  const count = (kind: JournalLine["kind"]) => own.filter((line) => line.kind === kind).length;
  return count("begin") > count("end");
}

const FINISH_MS = 120_000;
const PRINCIPALS = 20;

function finished(tracked: readonly Tracked[]): number {
  return tracked.filter(({ first }) => first !== undefined).length;
}

/** Creates the tasks at an even rate, and follows each until it has finished. */
async function createTasks(context: ScenarioContext, tracked: Tracked[], durationMs: number): Promise<void> {
  const { scale, random, cluster } = context;
  const killsBefore = cluster.kills.length;
  const countKills = () => cluster.kills.length - killsBefore;
  const start = performance.now();
  const numbers = Array.from({ length: scale.tasks }, (_, index) => index + 1);
  const followed: Promise<void>[] = [];
  await forEachLimited(numbers, 32, async (n) => {
    await sleep(Math.max(0, start + (durationMs * n) / scale.tasks - performance.now()));
    // If the kills take longer than planned, the tasks wait for them.
    const isDue = () => n <= (scale.tasks * (countKills() + 1)) / scale.kills || undefined;
    await waitFor("a node is killed", FINISH_MS, isDue);
    const name = random.chance(0.6) ? "work" : random.chance(0.5) ? "fragile" : "steps";
    const ms = random.chance(0.15) ? random.between(200, 1_500) : random.between(20, 200);
    const principal = `user-${n % PRINCIPALS}`;
    const createdAt = Date.now();
    const taskId = await createTask(() => random.pick(cluster.nodes), principal, { name, args: { n, ms } });
    const task: Tracked = { taskId, principal, tool: name, n, createdAt, changes: 0 };
    tracked.push(task);
    followed.push(follow(context, task));
  });
  await Promise.all(followed);
}

/** Reads a task about twice per second until it has finished. */
async function follow(context: ScenarioContext, task: Tracked): Promise<void> {
  const deadline = performance.now() + FINISH_MS;
  while (task.first === undefined && performance.now() < deadline) {
    await sleep(context.random.between(300, 700));
    await compare(context, task);
  }
}

async function pollAll(context: ScenarioContext, tracked: readonly Tracked[]): Promise<true | undefined> {
  const open = tracked.filter(({ first }) => first === undefined);
  await forEachLimited(open, 16, (task) => compare(context, task));
  return open.length === 0 ? true : undefined;
}

/** Reads a task on a random node, and compares it with its first terminal state. */
async function compare({ cluster, random }: ScenarioContext, task: Tracked): Promise<void> {
  const found = await getTask(random.pick(cluster.nodes), task.principal, task.taskId);
  if (found === undefined) return;
  if (task.first !== undefined) {
    if (fingerprint(found) !== fingerprint(task.first)) task.changes++;
  } else if (isTerminal(found)) {
    task.first = found;
    task.firstSeenAt = Date.now();
  }
}

/** Reads finished tasks again while nodes are killed. */
async function recheck(
  context: ScenarioContext,
  tracked: readonly Tracked[],
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    await sleep(50);
    const done = tracked.filter(({ first }) => first !== undefined);
    if (done.length > 0) await compare(context, context.random.pick(done));
  }
}

/** Compares the outcomes with the arguments and the journal. */
function judge({ cluster, figures, print }: ScenarioContext, tracked: readonly Tracked[]): void {
  const journal = cluster.readJournal();
  const runs = toRuns(journal);
  const deaths = new Map(cluster.kills.map(({ pid, at }) => [pid, at]));
  const sum = (check: (task: Tracked) => boolean) => tracked.filter(check).length;
  const completes = (task: Tracked) =>
    task.first?.status === "completed" && task.first.result?.isError !== true;
  const ofTool = (name: string) => tracked.filter(({ tool }) => tool === name);

  figures.exactly(
    "results that belong to other arguments",
    sum((task) => completes(task) && !isOwnResult(task)),
    0,
  );
  figures.exactly(
    "terminal states that changed",
    sum(({ changes }) => changes > 0),
    0,
  );
  const retried = ofTool("work");
  figures.exactly("`retry` tasks completed", retried.filter(completes).length, retried.length);
  const failed = ofTool("fragile").filter((task) => task.first?.status === "failed");
  const wrongly = failed.filter((task) => !lostWorker(task, runs.get(task.taskId) ?? [], deaths));
  figures.note("`fail` tasks that failed because their worker was killed", failed.length - wrongly.length);
  figures.exactly("`fail` tasks that failed although no worker was killed", wrongly.length, 0);
  figures.exactly(
    "`fail` tasks that ran twice",
    ofTool("fragile").filter(({ taskId }) => (runs.get(taskId)?.length ?? 0) > 1).length,
    0,
  );
  const unfinished = ofTool("steps").filter((task) => !completes(task));
  const stopped = unfinished.filter((task) => !lostWorker(task, runs.get(task.taskId) ?? [], deaths));
  figures.exactly("`once` tasks that failed although no worker was killed", stopped.length, 0);
  for (const task of [...wrongly, ...stopped].slice(0, 5))
    print(`${task.tool} failed: ${JSON.stringify([task, runs.get(task.taskId), cluster.kills])}`);
  figures.exactly("`once` steps that ran twice", countRepeatedSteps(journal), 0);
  judgeTakeovers(figures, { runs, deaths, retried: new Set(retried.map(({ taskId }) => taskId)) });
}

function isOwnResult(task: Tracked): boolean {
  const { principal, tool, n, first } = task;
  const steps = tool === "steps" ? ` reserve-${n} pay-${n} ship-${n}` : "";
  return first !== undefined && textOf(first) === `${principal} ${tool} ${n}${steps}`;
}

/** Returns true if a node that ran the task was killed before it could store the outcome. */
function lostWorker(task: Tracked, runs: readonly Run[], deaths: ReadonlyMap<number, number>): boolean {
  // A worker that was killed between the start of the run in the record and the handler's first line left no line.
  const wasKilled = [...deaths.values()].some((at) => at >= task.createdAt && at <= (task.firstSeenAt ?? 0));
  if (runs.length === 0) return wasKilled;
  return runs.some(({ pid, beganAt, endedAt }) => {
    const diedAt = deaths.get(pid);
    if (diedAt === undefined || diedAt < beganAt || diedAt > (task.firstSeenAt ?? 0)) return false;
    return endedAt === undefined || diedAt - endedAt < STORE_MS;
  });
}

/** Time in milliseconds that a node may need to store the outcome of a handler. */
const STORE_MS = 3_000;

function judgeTakeovers(
  figures: ScenarioContext["figures"],
  {
    runs,
    deaths,
    retried,
  }: {
    readonly runs: ReadonlyMap<string, readonly Run[]>;
    readonly deaths: ReadonlyMap<number, number>;
    readonly retried: ReadonlySet<string>;
  },
): void {
  const takeovers: number[] = [];
  let missing = 0;
  let overlaps = 0;
  for (const taskId of retried) {
    const all = runs.get(taskId) ?? [];
    for (const [index, run] of all.entries()) {
      const next = all[index + 1];
      const diedAt = deaths.get(run.pid) ?? Infinity;
      if (next !== undefined && next.beganAt < Math.min(diedAt, run.endedAt ?? Infinity)) overlaps++;
      if (run.endedAt !== undefined || diedAt === Infinity) continue;
      if (next === undefined) missing++;
      else takeovers.push(next.beganAt - diedAt);
    }
  }
  figures.atLeast("runs that were taken over", takeovers.length, Math.floor(deaths.size / 20));
  figures.exactly("runs that no node took over", missing, 0);
  figures.exactly("runs of a task at the same time", overlaps, 0);
  figures.note("takeover, median", `${Math.round(percentile(takeovers, 0.5))} ms`);
  figures.within("takeover, p99", percentile(takeovers, 0.99), 4_000);
}

/** Returns the number of records that still have a job, among them records whose client never received their ID. */
async function countJobs({ redis, prefix }: Cluster): Promise<number> {
  const client = await RedisClient.connect(redis);
  const count = async () => {
    const keys = await client.keys(`${prefix}:{tasks:*}:task:*`);
    const jobs = await Promise.all(keys.map((key) => client.run("HGET", key, "j")));
    return jobs.filter((job) => job !== null && job !== "").length;
  };
  try {
    await waitFor("no record has a job", 30_000, async () => ((await count()) === 0 ? true : undefined));
    return 0;
  } catch {
    return await count();
  } finally {
    client.close();
  }
}
