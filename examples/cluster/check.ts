/**
 * @fileoverview Runs the demo, and checks that the killed node had work that the other node took over.
 * @module examples/cluster/check
 */
import assert from "node:assert/strict";
import { startCluster } from "./cluster.js";
import { isComplete, runDemo } from "./demo.js";

/** Runs the example. @throws if its behavior differs from the documentation */
export async function check(): Promise<void> {
  const cluster = await startCluster();
  try {
    const outcome = await runDemo(cluster, () => undefined);
    assert.ok(isComplete(outcome), JSON.stringify(outcome));
    assert.ok(outcome.tasks.takenOver > 0, "Node a did not run a task when it was killed.");
    assert.ok(outcome.calls.completed > 0 && outcome.calls.reportedLost > 0, "Only one node ran calls.");
    assert.deepEqual(outcome.session, { isSame: true, nodes: ["b"] });
  } finally {
    await cluster.close();
  }
}
