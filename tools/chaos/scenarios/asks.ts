/**
 * @fileoverview Questions whose node is killed before they are answered. Another node receives the answer.
 * @module tools/chaos/scenarios/asks
 */
import type { ChaosNode } from "../node-group.js";
import { forEachLimited, waitFor } from "../http.js";
import type { ScenarioContext } from "../scale.js";
import { createTask, getTask, isTerminal, send, textOf, type WireTask } from "../task-client.js";

interface Asked {
  readonly taskId: string;
  readonly principal: string;
  readonly n: number;
}

/** Runs the scenario. */
export async function asks(context: ScenarioContext): Promise<void> {
  const { scale, figures, print, cluster } = context;
  let right = 0;
  let killed = 0;
  for (let done = 0; done < scale.asks;) {
    const count = Math.min(scale.asksPerRound, scale.asks - done);
    const asked = await ask(context, done, count);
    const askers = readAskers(context);
    // Each node that asked is killed, and stays away until its questions have been answered on another one.
    for (const node of cluster.nodes) {
      const own = asked.filter(({ taskId }) => askers.get(taskId) === node.pid);
      if (own.length === 0) continue;
      await node.kill();
      killed += own.length;
      const others = cluster.nodes.filter((other) => other !== node);
      await forEachLimited(own, 16, (task) => answer(context, task, others));
      const outcomes = await finish(own, others);
      right += own.filter((task, index) => isRight(task, outcomes[index])).length;
      await node.start();
    }
    done += count;
    if (done % 200 === 0) print(`${done} asks, ${right} finished with the right answer`);
  }
  figures.exactly("asks whose node was killed before the answer", killed, scale.asks);
  figures.exactly("asks that finished with the right answer", right, scale.asks);
}

/** Creates tasks and waits until each has asked its question. */
async function ask(context: ScenarioContext, from: number, count: number): Promise<readonly Asked[]> {
  const { cluster, random } = context;
  const asked: Asked[] = [];
  const numbers = Array.from({ length: count }, (_, index) => from + index + 1);
  await forEachLimited(numbers, 16, async (n) => {
    const principal = `asker-${n % 10}`;
    const tool = { name: "ask", args: { n, ms: random.between(1, 20) } };
    const taskId = await createTask(() => random.pick(cluster.nodes), principal, tool);
    asked.push({ taskId, principal, n });
  });
  await forEachLimited(asked, 16, async ({ taskId, principal }) => {
    await waitFor("a task asks its question", WAIT_MS, async () => {
      const task = await getTask(random.pick(cluster.nodes), principal, taskId);
      return task?.status === "input_required" ? true : undefined;
    });
  });
  return asked;
}

const WAIT_MS = 60_000;

/** Returns the process that asked last, by task. */
function readAskers({ cluster }: ScenarioContext): ReadonlyMap<string, number> {
  const lines = cluster.readJournal().filter(({ kind }) => kind === "ask");
  return new Map(lines.map(({ taskId, pid }) => [taskId, pid]));
}

/** Answers a question. Repeats the answer if the node could not be reached. */
async function answer(
  { random }: ScenarioContext,
  { taskId, principal, n }: Asked,
  nodes: readonly ChaosNode[],
): Promise<void> {
  const response = { action: "accept", content: { word: `word-${n}` } };
  await waitFor("an answer is accepted", WAIT_MS, async () => {
    const params = { taskId, inputResponses: { word: response } };
    const { result } = await send(random.pick(nodes), { principal, method: "tasks/update", params });
    return result === undefined ? undefined : true;
  });
}

function finish(
  asked: readonly Asked[],
  nodes: readonly ChaosNode[],
): Promise<readonly (WireTask | undefined)[]> {
  return Promise.all(
    asked.map(({ taskId, principal }, index) =>
      waitFor("a task finishes", WAIT_MS, async () => {
        const task = await getTask(nodes[index % nodes.length] as ChaosNode, principal, taskId); // Safe: not empty
        return task !== undefined && isTerminal(task) ? task : undefined;
      }).catch(() => undefined),
    ),
  );
}

function isRight({ principal, n }: Asked, task: WireTask | undefined): boolean {
  return task?.status === "completed" && textOf(task) === `${principal} ask ${n} word-${n}`;
}
