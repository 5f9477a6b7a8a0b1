import { expect, test } from "vitest";
import { AgentServerBuilder } from "../../src/builder.js";
import type { ModelPort } from "../../src/models/model-port.js";
import { TaskStore } from "../../src/storage/task-store.js";
import { temporaryFolder } from "../support/socket/clients.js";

test("at the task limit, a task of the user who has the most is archived, and the tasks of others stay", async () => {
  const store = new TaskStore({ folder: temporaryFolder(), maxTasks: 4 });
  const create = (taskId: string, owner: string) =>
    store.create({ taskId, title: taskId, owner }, { status: "idle" }).then((log) => store.release(log));
  await create("ada", "ada");
  for (const index of [1, 2, 3, 4, 5, 6]) await create(`bob-${index}`, "bob");
  expect((await store.list(9)).map(({ taskId }) => taskId)).toEqual(["bob-6", "bob-5", "bob-4", "ada"]);
  await create("ada-2", "ada");
  expect((await store.list(9)).map(({ taskId }) => taskId)).toEqual(["ada-2", "bob-6", "bob-5", "ada"]);
  await store.close();
});

test("a user cannot take the running tasks of others", async () => {
  let requests = 0;
  const hang: ModelPort = async function* (_conversation, signal) {
    requests++;
    yield "So";
    await new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
  };
  const server = new AgentServerBuilder()
    .storagePath(temporaryFolder())
    .model(hang, { maxRunning: 3, maxRunningPerUser: 2 })
    .build();
  const { signal, abort } = createSignal();
  const bob = [1, 2].map(() => server.run("Go", { user: { id: "bob" }, signal }));
  await expect.poll(() => requests).toBe(2);
  await expect(server.run("Go", { user: { id: "bob" } })).rejects.toThrow(
    "You have too many running tasks (limit: 2).",
  );
  const ada = server.run("Go", { user: { id: "ada" }, signal });
  await expect.poll(() => requests).toBe(3);
  await expect(server.run("Go", { user: { id: "cyd" } })).rejects.toThrow(
    "Too many running tasks (limit: 3).",
  );
  abort();
  expect((await Promise.all([...bob, ada])).map(({ reason }) => reason)).toEqual(
    Array(3).fill("interrupted"),
  );
});

function createSignal() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
