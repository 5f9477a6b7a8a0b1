import { expect, test } from "vitest";
import { FairQueue, type QueuedTask } from "../../src/tasks/engine/fair-queue.js";

/** Creates a queue with tasks such as `a1`, whose principal is `a`. Tasks of `n` have no principal. */
function createQueue(total: number, perPrincipal: number, ids: readonly string[]): FairQueue {
  const queue = new FairQueue({ total, perPrincipal });
  for (const taskId of ids) queue.push(toTask(taskId));
  return queue;
}

function toTask(taskId: string): QueuedTask {
  const principal = taskId.slice(0, 1);
  return { taskId, principal: principal === "n" ? null : principal };
}

/** Takes tasks until a limit is reached. */
function takeAll(queue: FairQueue): readonly string[] {
  const taken: string[] = [];
  for (let task = queue.take(); task !== undefined; task = queue.take()) taken.push(task.taskId);
  return taken;
}

test("principals take turns, and the tasks of each run in order", () => {
  const queue = createQueue(10, 10, ["a1", "a2", "a3", "b1", "c1", "c2"]);
  expect(takeAll(queue)).toEqual(["a1", "b1", "c1", "a2", "c2", "a3"]);
  expect(queue.take()).toBeUndefined();
});

test("the total limit holds until a task is released", () => {
  const queue = createQueue(2, 10, ["a1", "b1", "a2"]);
  expect(takeAll(queue)).toEqual(["a1", "b1"]);
  expect({ size: queue.size, running: queue.running, isReady: queue.isReady }).toEqual({
    size: 1,
    running: 2,
    isReady: false,
  });
  queue.release(toTask("b1"));
  expect(queue.isReady).toBe(true);
  expect(takeAll(queue)).toEqual(["a2"]);
});

test("the limit per principal delays only that principal", () => {
  const queue = createQueue(10, 1, ["a1", "a2", "b1", "n1", "n2", "n3"]);
  // Callers without authentication are limited only in total.
  expect(takeAll(queue)).toEqual(["a1", "b1", "n1", "n2", "n3"]);
  queue.release(toTask("b1"));
  expect(queue.isReady).toBe(false);
  queue.release(toTask("a1"));
  expect(takeAll(queue)).toEqual(["a2"]);
});

test("a task that is waiting already is not added twice", () => {
  const queue = createQueue(10, 10, ["a1", "a1", "a1"]);
  expect(queue.size).toBe(1);
  expect(takeAll(queue)).toEqual(["a1"]);
});

test("a task that is added while it runs waits until its run has ended", () => {
  const queue = createQueue(10, 10, ["a1", "a2"]);
  expect(takeAll(queue)).toEqual(["a1", "a2"]);
  queue.push(toTask("a1"));
  queue.push(toTask("a1"));
  expect(queue.size).toBe(1);
  expect(queue.isReady).toBe(false);
  expect(queue.take()).toBeUndefined();
  queue.release(toTask("a1"));
  expect(takeAll(queue)).toEqual(["a1"]);
  queue.release(toTask("a1"));
  queue.release(toTask("a2"));
  expect({ size: queue.size, running: queue.running, isReady: queue.isReady }).toEqual({
    size: 0,
    running: 0,
    isReady: false,
  });
});

test("a task that is released twice counts once", () => {
  const queue = createQueue(1, 1, ["a1", "a2", "a3"]);
  expect(takeAll(queue)).toEqual(["a1"]);
  queue.release(toTask("a1"));
  queue.release(toTask("a1"));
  expect(takeAll(queue)).toEqual(["a2"]);
  expect(queue.running).toBe(1);
});
