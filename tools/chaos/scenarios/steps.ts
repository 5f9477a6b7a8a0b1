/**
 * @fileoverview `once` steps without retry whose node is killed while they run.
 * @module tools/chaos/scenarios/steps
 */
import { setTimeout as sleep } from "node:timers/promises";
import { forEachLimited, waitFor } from "../http.js";
import { countRepeatedSteps } from "../journal.js";
import type { ScenarioContext } from "../scale.js";
import { createTask, getTask, isTerminal } from "../task-client.js";

/** Runs the scenario. */
export async function steps(context: ScenarioContext): Promise<void> {
  const { cluster, scale, random, figures } = context;
  const numbers = Array.from({ length: scale.stepTasks }, (_, index) => index + 1);
  const taskIds: string[] = [];
  const ids = new Map<string, string>();
  const creating = forEachLimited(numbers, 8, async (n) => {
    const principal = `stepper-${n % 10}`;
    const tool = { name: "steps", args: { n, ms: random.between(300, 1_500) } };
    const taskId = await createTask(() => random.pick(cluster.nodes), principal, tool);
    taskIds.push(taskId);
    ids.set(taskId, principal);
    await sleep(150);
  });
  let inside = 0;
  for (let count = 1; count <= scale.stepKills; count++) {
    const due = Math.floor((scale.stepTasks * (count - 0.5)) / scale.stepKills);
    await waitFor(`${due} tasks are created`, WAIT_MS, () => taskIds.length >= due || undefined);
    const node = random.pick(cluster.nodes);
    await waitFor("the node runs a step", 2_000, () => countOpenSteps(context, node.pid) || undefined).catch(
      () => undefined,
    );
    const { pid } = node;
    await node.kill();
    inside += countOpenSteps(context, pid);
    await node.start();
  }
  await creating;
  let finished = 0;
  await forEachLimited(taskIds, 16, async (taskId) => {
    await waitFor("a task finishes", WAIT_MS, async () => {
      const task = await getTask(random.pick(cluster.nodes), ids.get(taskId) ?? "", taskId);
      return task !== undefined && isTerminal(task) ? true : undefined;
    });
    finished++;
  });
  const journal = cluster.readJournal();
  figures.exactly("tasks in a terminal state", finished, scale.stepTasks);
  figures.atLeast("steps that were running when their node was killed", inside, 1);
  figures.atLeast(
    "steps that ran",
    journal.filter(({ kind }) => kind === "step").length,
    2 * scale.stepTasks,
  );
  figures.exactly("`once` steps that ran twice", countRepeatedSteps(journal), 0);
}

const WAIT_MS = 90_000;

/** Returns the number of tasks on a process that have begun a step and have not ended. */
function countOpenSteps({ cluster }: ScenarioContext, pid: number): number {
  const open = new Set<string>();
  for (const line of cluster.readJournal()) {
    if (line.pid !== pid) continue;
    if (line.kind === "step") open.add(line.taskId);
    if (line.kind === "end") open.delete(line.taskId);
  }
  return open.size;
}
