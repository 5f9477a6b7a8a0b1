import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { taskEngineContract } from "../../src/tasks/contract/task-engine-contract.js";
import { ManualClock } from "../support/tasks/engine-harnesses.js";
import { SharedTaskEngine, SharedTasks } from "../../../../tools/task-histories/shared-tasks.js";
import { history } from "../../../../tools/task-histories/commands.js";
import { createPeers, createSuccessors } from "../../../../tools/task-histories/nodes.js";
import { runHistory } from "../../../../tools/task-histories/world.js";

describe("tasks obey the state machine in every interleaving of polls, answers, cancels, expiry, and losses", () => {
  test.each([
    ["a process that is killed and restarted", createSuccessors],
    ["nodes that are lost while their handlers continue", createPeers],
  ])("with %s", async (_name, createCluster) => {
    await fc.assert(
      fc.asyncProperty(history, (commands) => runHistory(createCluster, commands)),
      { numRuns: 150 },
    );
  });
});

describe("the engine of the nodes fulfills the contract", () => {
  const clock = new ManualClock();
  const shared = new Map<unknown, SharedTasks>();
  const open = (tasks: SharedTasks) => {
    const node = tasks.createNode();
    shared.set(node, tasks);
    return node;
  };
  const sharedBy = (engine: unknown) => shared.get(engine) ?? new SharedTasks(() => clock.now());
  const cases = taskEngineContract({
    clock,
    createEngine: () => open(new SharedTasks(() => clock.now())),
    createPeer: (engine) => open(sharedBy(engine)),
    reopen(engine) {
      expect(engine).toBeInstanceOf(SharedTaskEngine);
      sharedBy(engine).lose(engine as SharedTaskEngine); // Safe: checked above
      return open(sharedBy(engine));
    },
  });
  for (const { title, run } of cases) test(title, run);
});
