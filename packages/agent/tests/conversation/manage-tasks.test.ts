import { existsSync, readdirSync } from "node:fs";
import { join as joinPath } from "node:path";
import { describe, expect, test } from "vitest";
import { type Agent, hangAfter, join, load, over, say, startAgent } from "../support/conversation/agents.js";
import type { TestClient } from "../support/socket/clients.js";

/** Starts an agent with one finished task for each text. Returns the IDs of the tasks. */
async function startWith(texts: readonly string[]): Promise<{
  readonly agent: Agent;
  readonly client: TestClient;
  readonly taskIds: readonly string[];
}> {
  const agent = await startAgent({ answers: texts.map((text) => [`Answer to ${text}`]) });
  const client = await join(agent.url);
  const taskIds: string[] = [];
  for (const text of texts) {
    taskIds.push(await say(client, text));
    await over(client);
  }
  client.received.length = 0;
  return { agent, client, taskIds };
}

async function list(client: TestClient, data: object): Promise<Record<string, unknown>> {
  client.send({ type: "listTasks", data });
  return (await client.take("taskList")).data;
}

describe("listing tasks", () => {
  test("a client pages through all tasks and searches them", async () => {
    const { client, taskIds } = await startWith(["Red", "Green", "Blue"]);
    const [red, green, blue] = taskIds;
    const first = await list(client, { limit: 2 });
    expect(first["tasks"]).toEqual([
      { taskId: blue, title: "Blue", updatedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
      { taskId: green, title: "Green", updatedAt: expect.any(String) },
    ]);
    const cursor = first["nextCursor"];
    expect(await list(client, { limit: 2, cursor })).toMatchObject({ cursor, tasks: [{ taskId: red }] });
    expect(await list(client, { search: "ANSWER gre" })).toEqual({
      search: "ANSWER gre",
      tasks: [{ taskId: green, title: "Green", updatedAt: expect.any(String), excerpt: "Answer to Green" }],
    });
  });

  test.each([
    [{ cursor: "x" }, "The cursor is invalid. Request the first page again."],
    [{ limit: 0 }, expect.stringContaining("Message 'listTasks' data validation failed: limit")],
    [{ limit: 101 }, expect.stringContaining("Message 'listTasks' data validation failed: limit")],
    [
      { search: "x".repeat(201) },
      expect.stringContaining("Message 'listTasks' data validation failed: search"),
    ],
  ])("the request %j is rejected", async (data, message) => {
    const { client } = await startWith([]);
    expect(await client.complaintAbout({ type: "listTasks", data })).toEqual(message);
  });
});

describe("renaming a task", () => {
  test("the new title is acknowledged, sent to watching clients, and listed", async () => {
    const { agent, client, taskIds } = await startWith(["Red"]);
    const [taskId = ""] = taskIds;
    const other = await join(agent.url);
    await load(other, taskId);
    client.send({ type: "renameTask", data: { taskId, title: " Crimson\u0007 " } });
    expect((await client.take("ack")).data).toMatchObject({ taskId, status: "acked" });
    expect((await other.take("taskRenamed")).data).toEqual({ taskId, title: "Crimson" });
    expect((await client.take("sessionHistories")).data["sessionHistories"]).toMatchObject([
      { title: "Crimson" },
    ]);
    await agent.server.stop();
    const again = await startAgent({ storage: agent.storage });
    expect(await list(await join(again.url), {})).toMatchObject({ tasks: [{ taskId, title: "Crimson" }] });
  });

  test("a task that does not exist cannot be renamed", async () => {
    const { client } = await startWith([]);
    const message = { type: "renameTask", data: { taskId: "missing", title: "x" } };
    expect(await client.complaintAbout(message)).toBe('Task "missing" does not exist.');
    expect((await client.take("ack")).data).toMatchObject({ status: "failed" });
  });

  test("a blank title is rejected", async () => {
    const { client, taskIds } = await startWith(["Red"]);
    const message = { type: "renameTask", data: { taskId: taskIds[0], title: " " } };
    expect(await client.complaintAbout(message)).toBe("A title must not be empty.");
  });
});

describe("deleting a task", () => {
  test("the task is gone for every client, and its ID can be used again", async () => {
    const { agent, client, taskIds } = await startWith(["Red", "Green"]);
    const [taskId = ""] = taskIds;
    const other = await join(agent.url);
    await load(other, taskId);
    client.send({ type: "deleteTask", data: { taskId } });
    expect((await client.take("ack")).data).toMatchObject({ taskId, status: "acked" });
    expect(existsSync(joinPath(agent.storage, taskId))).toBe(false);
    expect((await other.take("taskRemoved")).data).toEqual({ taskId, reason: "deleted" });
    expect(await list(client, {})).toMatchObject({ tasks: [{ title: "Green" }] });
    for (const type of ["loadTask", "deleteTask", "resume", "interrupt"]) {
      expect(await client.complaintAbout({ type, data: { taskId } })).toBe(
        `Task "${taskId}" does not exist.`,
      );
    }
  });

  test("a running task is interrupted before it is deleted", async () => {
    let isAborted = false;
    const agent = await startAgent({
      answers: [
        async function* (conversation, signal) {
          signal.addEventListener("abort", () => (isAborted = true));
          yield* hangAfter("I was saying")(conversation, signal);
        },
      ],
    });
    const client = await join(agent.url);
    const taskId = await say(client, "Go");
    await client.take("message");
    client.send({ type: "deleteTask", data: { taskId } });
    expect((await client.take("ack")).data).toMatchObject({ taskId, status: "acked" });
    expect(isAborted).toBe(true);
    expect((await client.take("conversationOver")).data).toEqual({ taskId, reason: "interrupted" });
    await client.take("taskRemoved");
    expect(readdirSync(agent.storage)).toEqual([]);
  });

  test("running subtasks are interrupted and deleted with their task", async () => {
    const assign = "<assignTasks><tasklist><task>Find A</task><task>Find B</task></tasklist></assignTasks>";
    const agent = await startAgent({ answers: [[assign], hangAfter("a"), hangAfter("b")] });
    const client = await join(agent.url);
    const taskId = await say(client, "Go");
    await client.take("assignTaskUpdated");
    await client.take("assignTaskUpdated");
    await expect.poll(() => readdirSync(agent.storage)).toHaveLength(3);
    client.send({ type: "deleteTask", data: { taskId } });
    await client.take("taskRemoved");
    await client.take("ack");
    expect(readdirSync(agent.storage)).toEqual([]);
  });
});

test("at `maxTasks`, a new task archives the oldest idle one and never a running one", async () => {
  const agent = await startAgent({
    answers: [hangAfter("running"), ["Done."], ["Done."]],
    options: { maxTasks: 2 },
  });
  const client = await join(agent.url);
  const running = await say(client, "First");
  const idle = await say(client, "Second");
  await over(client);
  await say(client, "Third");
  expect((await client.take("taskRemoved")).data).toEqual({ taskId: idle, reason: "archived" });
  expect(readdirSync(joinPath(agent.storage, ".archive"))).toEqual([idle]);
  expect((await load(client, running)).status).toBe("streaming");
});
