import { describe, expect, test } from "vitest";
import { USER_MESSAGES } from "../../src/messages/built-in-messages.js";
import { connectClient, type Received } from "../support/socket/test-client.js";
import {
  type AdasTasks,
  barrier,
  createTasks,
  enter,
  filesIn,
  say,
  SECRET,
  startWithUsers,
  viewOf,
} from "../support/users/attack-agents.js";

/** Message of each type about a task. Types without a task have none. */
const ABOUT_TASK: Readonly<Record<string, ((taskId: string, approvalId: string) => object) | undefined>> = {
  authenticate: undefined,
  listTasks: undefined,
  userSendMessage: (taskId) => ({ taskId, message: "Hello" }),
  answerApproval: (taskId, approvalId) => ({ taskId, approvalId, decision: "approve" }),
  interrupt: (taskId) => ({ taskId }),
  loadTask: (taskId) => ({ taskId }),
  resume: (taskId) => ({ taskId }),
  renameTask: (taskId) => ({ taskId, title: "Mine" }),
  deleteTask: (taskId) => ({ taskId }),
};

const TYPES = USER_MESSAGES.map(({ shape }) => shape.type.value);
const STATES = ["idle", "waiting", "running", "subtask"] as const;
/** Types that do not change a task. */
const READING: readonly string[] = ["loadTask"];

function messageTo(type: string, tasks: AdasTasks, taskId: string): Received | undefined {
  const data = ABOUT_TASK[type]?.(taskId, tasks.approvalId);
  return data && { type, data: data as Received["data"] };
}

test("every message type has a row", () => {
  expect(Object.keys(ABOUT_TASK).toSorted()).toEqual(TYPES.toSorted());
});

describe.each(["in memory", "after a restart"])("tasks of a different user, %s", (when) => {
  /** Starts a server with Ada's tasks and returns a second user. */
  async function setUp(user = "bob") {
    const first = await startWithUsers();
    const ada = await enter(first.url, "ada");
    const tasks = await createTasks(ada);
    if (when === "in memory") return { ...first, tasks, ada, other: await enter(first.url, user) };
    await first.server.stop();
    const second = await startWithUsers(first.storage);
    return { ...second, tasks, ada: await enter(second.url, "ada"), other: await enter(second.url, user) };
  }

  test.each(TYPES.filter((type) => ABOUT_TASK[type] !== undefined && type !== "userSendMessage"))(
    "%s: cannot be told apart from tasks that do not exist, and does not change them",
    async (type) => {
      const { tasks, ada, other, storage } = await setUp();
      const before = filesIn(storage);
      ada.received.length = 0;
      const missing = messageTo(type, tasks, "no-task");
      if (missing === undefined) throw new Error("The table has no message.");
      const expected = await viewOf(other, missing, "no-task");
      expect(expected.length).toBe(2);
      for (const state of STATES) {
        const taskId = tasks[state];
        const message = messageTo(type, tasks, taskId);
        if (message !== undefined) expect(await viewOf(other, message, taskId)).toEqual(expected);
      }
      expect(filesIn(storage)).toEqual(before);
      expect(ada.received).toEqual([]);
      await expectUntouched(ada, tasks, when);
    },
  );

  test("userSendMessage: an ID that is in use cannot be taken, and reveals only that it is in use", async () => {
    const { tasks, ada, other, storage } = await setUp();
    const before = filesIn(storage);
    ada.received.length = 0;
    const attempts = STATES.flatMap((state) =>
      [undefined, "adas-message", "other-message"].map((messageId) => ({ taskId: tasks[state], messageId })),
    );
    const views = [];
    for (const { taskId, messageId } of attempts) {
      const message = { type: "userSendMessage", data: { taskId, message: "Hello", messageId } };
      views.push(await viewOf(other, message, taskId));
    }
    // The response repeats the client's own message, so the IDs of messages are removed before the comparison.
    const texts = views.map((view) => JSON.stringify(view).replace(/,?"messageId":"[^"]*"/, ""));
    expect(new Set(texts).size).toBe(1);
    expect(views[0]).toMatchObject([
      { type: "ack", data: { status: "failed", taskId: "ID" } },
      { type: "error", data: { message: 'Task "ID" does not exist.' } },
    ]);
    expect(filesIn(storage)).toEqual(before);
    expect(ada.received).toEqual([]);
    await expectUntouched(ada, tasks, when);
  });

  test("listTasks and sessionHistories: are not listed, searched, or reached with a cursor", async () => {
    const { url, tasks, ada, other } = await setUp();
    ada.send({ type: "listTasks", data: { limit: 1 } });
    const cursor = String((await ada.take("taskList")).data["nextCursor"]);
    const requests = [
      {},
      { limit: 1 },
      { cursor },
      { search: SECRET },
      { search: SECRET, cursor },
      { search: tasks.idle },
      { search: "a" },
    ];
    for (const data of requests) {
      other.send({ type: "listTasks", data });
      const { tasks: _tasks, ...rest } = (await other.take("taskList")).data;
      expect(_tasks).toEqual([]);
      expect(Object.keys(rest).every((name) => name === "cursor" || name === "search")).toBe(true);
    }
    await say(other, { message: `My own ${SECRET}`, taskId: "bobs-task" });
    const { sessionHistories } = (await other.take("sessionHistories")).data;
    expect(sessionHistories).toMatchObject([{ taskId: "bobs-task" }]);
    await other.take("conversationOver");
    other.send({ type: "listTasks", data: { search: SECRET } });
    expect((await other.take("taskList")).data["tasks"]).toMatchObject([{ taskId: "bobs-task" }]);
    ada.send({ type: "listTasks", data: {} });
    expect(JSON.stringify((await ada.take("taskList")).data)).not.toContain("bobs-task");
    const again = await connectClient(url, { headers: { authorization: "Bearer bob" } });
    expect((await again.take("sessionHistories")).data).toMatchObject({
      sessionHistories: [{ taskId: "bobs-task" }],
    });
  });

  test("runs, approvals, renames, and deletions are sent to nobody else", async () => {
    const { tasks, ada, other } = await setUp();
    other.received.length = 0;
    ada.send({
      type: "answerApproval",
      data: { taskId: tasks.waiting, approvalId: tasks.approvalId, decision: "deny" },
    });
    await ada.take("conversationOver");
    await say(ada, { message: "Hello", taskId: "adas-next" });
    await ada.take("conversationOver");
    ada.send({ type: "renameTask", data: { taskId: tasks.idle, title: "New title" } });
    await ada.take("ack");
    ada.send({ type: "deleteTask", data: { taskId: tasks.idle } });
    await ada.take("ack");
    await barrier(other);
    expect(other.received).toEqual([]);
  });

  test.each(TYPES.filter((type) => ABOUT_TASK[type] !== undefined))(
    "%s: a watcher can only read",
    async (type) => {
      const { tasks, ada, other: carol, storage } = await setUp("carol");
      const before = filesIn(storage);
      ada.received.length = 0;
      const views = [];
      for (const state of STATES) {
        const message = messageTo(type, tasks, tasks[state]);
        if (message === undefined) throw new Error("The table has no message.");
        if (READING.includes(type)) {
          carol.send(message);
          expect((await carol.take("taskHistory")).data).toMatchObject({
            taskId: tasks[state],
            canWrite: false,
          });
        } else {
          views.push(await viewOf(carol, message, tasks[state]));
          expect(views.at(-1)).toMatchObject([
            { type: "ack", data: { status: "failed" } },
            { type: "error", data: { taskId: "ID" } },
          ]);
          expect(views.at(-1)).toEqual(views[0]);
        }
      }
      expect(filesIn(storage)).toEqual(before);
      expect(ada.received).toEqual([]);
      await expectUntouched(ada, tasks, when);
    },
  );
});

describe("a user who can only watch", () => {
  test("cannot start tasks", async () => {
    const { url, storage } = await startWithUsers();
    const wanda = await enter(url, "wanda");
    const before = filesIn(storage);
    for (const taskId of ["wandas-task", "", undefined]) {
      wanda.send({ type: "userSendMessage", data: { message: "Hello", taskId } });
      expect((await wanda.take("ack")).data["status"]).toBe("failed");
      await wanda.take("error");
    }
    expect(filesIn(storage)).toEqual(before);
  });

  test("is told so", async () => {
    const { url } = await startWithUsers();
    const client = await connectClient(url);
    client.send({ type: "authenticate", data: { token: "wanda" } });
    expect((await client.take("connected")).data).toMatchObject({ userId: "wanda", canWrite: false });
  });
});

describe("a client without a token", () => {
  test.each(TYPES.filter((type) => type !== "authenticate"))("%s: is rejected", async (type) => {
    const { url } = await startWithUsers();
    const ada = await enter(url, "ada");
    await say(ada, { message: "Hello", taskId: "adas-idle" });
    await ada.take("conversationOver");
    const client = await connectClient(url);
    client.send({ type, data: ABOUT_TASK[type]?.("adas-idle", "x") ?? {} });
    client.send({ type: "authenticate", data: { token: "ada" } });
    expect((await client.closed).code).toBe(4401);
    expect(client.received.map((message) => message.type)).toEqual(["error"]);
    expect(JSON.stringify(client.received)).not.toContain(SECRET);
  });
});

/** Expects that Ada's tasks are in the same state as before. */
async function expectUntouched(
  ada: Awaited<ReturnType<typeof enter>>,
  tasks: AdasTasks,
  when: string,
): Promise<void> {
  const statuses = {
    idle: "idle",
    waiting: "waiting",
    running: when === "in memory" ? "streaming" : "aborted",
  };
  for (const [state, status] of Object.entries(statuses)) {
    const taskId = tasks[state as keyof typeof statuses]; // one of the keys
    ada.send({ type: "loadTask", data: { taskId } });
    expect((await ada.take("taskHistory")).data).toMatchObject({ taskId, status, canWrite: true });
  }
}
