import { readFileSync, writeFileSync } from "node:fs";
import { join as joinPath } from "node:path";
import { describe, expect, test } from "vitest";
import { defineTool } from "../../src/tools/define-tool.js";
import type { ModelPort } from "../../src/models/model-port.js";
import { temporaryFolder } from "../support/socket/clients.js";
import { hangAfter, join, load, outline, over, say, startAgent } from "../support/conversation/agents.js";

const note = defineTool({
  name: "note",
  description: "Writes a note",
  whenToUse: "When something is to be kept",
  params: [{ name: "text", optional: false, description: "The note" }],
  useExamples: [],
  invoke: async ({ params }) => ({ message: "Written", toolResult: params.text }),
});

describe("stored tasks", () => {
  test("a restart restores the list and the history, and the model continues", async () => {
    const storage = temporaryFolder();
    const before = await startAgent({
      answers: [["Let me.\n<note><text>milk</text></note>"], ["Done."]],
      tools: [note],
      storage,
    });
    const writer = await join(before.url);
    const taskId = await say(writer, "Remember\nthe milk");
    await over(writer);
    const shown = await load(writer, taskId);
    await before.server.stop();

    const after = await startAgent({ answers: [["Milk."]], tools: [note], storage });
    const reader = await join(after.url);
    reader.send({ type: "loadTask", data: { taskId } });
    expect((await reader.take("taskHistory")).data["messages"]).toEqual(shown.messages);
    expect(outline(shown.messages)).toEqual([
      "userSendMessage: Remember\nthe milk",
      "message: Let me.",
      "tool: note (done)",
      "message: Done.",
    ]);
    await reader.take("ack");
    await say(reader, "What was it?", taskId);
    expect((await over(reader)).reason).toBe("answered");
    expect(after.asked[0]?.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    reader.send({ type: "userSendMessage", data: { message: "Another" } });
    const { sessionHistories } = (await reader.take("sessionHistories")).data;
    expect(sessionHistories).toEqual([
      { taskId: expect.any(String), title: "Another", updatedAt: expect.any(String) },
      { taskId, title: "Remember", updatedAt: expect.any(String) },
    ]);
  });

  test("a log that ends in the middle of a call is an interrupted task that can be resumed", async () => {
    const storage = temporaryFolder();
    const before = await startAgent({
      answers: [["<note><text>milk</text></note>"], ["Done."]],
      tools: [note],
      storage,
    });
    const writer = await join(before.url);
    const taskId = await say(writer, "Go");
    await over(writer);
    await before.server.stop();
    const path = joinPath(storage, taskId, "log.jsonl");
    const lines = readFileSync(path, "utf8").split("\n");
    const running = lines.findIndex((line) => line.includes('"running"'));
    // The state after the process was killed in the middle of a write.
    writeFileSync(path, `${lines.slice(0, running + 1).join("\n")}\n${lines[running + 1]?.slice(0, 20)}`);

    const after = await startAgent({ answers: [["Let me see."]], tools: [note], storage });
    const client = await join(after.url);
    const { status, messages } = await load(client, taskId);
    expect(status).toBe("aborted");
    expect(outline(messages)).toEqual(["userSendMessage: Go", "tool: note (interrupted)"]);
    client.send({ type: "resume", data: { taskId } });
    expect((await over(client)).reason).toBe("answered");
    expect(after.asked[0]?.messages.at(-1)).toEqual({
      role: "tool",
      toolName: "note",
      content: "The run ended before this call finished. The call may have taken effect.",
    });
  });

  test("stopping the server interrupts running tasks and informs their clients", async () => {
    const storage = temporaryFolder();
    const agent = await startAgent({ answers: [hangAfter("I was saying")], storage });
    const client = await join(agent.url);
    const taskId = await say(client, "Go");
    await client.take("message");
    await agent.server.stop();
    expect((await client.closed).code).toBe(1001);
    expect(outline(client.received)).toEqual([
      expect.stringMatching(/^sessionHistories/),
      "message: I was saying (interrupted)",
      "interrupt: ",
      "conversationOver: ",
    ]);
    const again = await startAgent({ storage });
    expect((await load(await join(again.url), taskId)).status).toBe("aborted");
  });
});

describe("multiple clients", () => {
  test("watch one conversation and see the same messages, regardless of when they join", async () => {
    let goOn = () => undefined as void;
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    const slow: ModelPort = async function* () {
      yield "One, ";
      await gate;
      yield "two";
    };
    const agent = await startAgent({ answers: [slow, ["Three."]] });
    const [first, second] = [await join(agent.url), await join(agent.url)];
    const taskId = await say(first, "Count");
    await first.take("message");
    const { status, messages } = await load(second, taskId);
    expect(status).toBe("streaming");
    expect(messages.map(({ type, data }) => [type, data["message"], data["partial"]])).toEqual([
      ["userSendMessage", "Count", undefined],
      ["message", "One, ", true],
    ]);
    goOn();
    expect(outline((await over(first)).sent)).toEqual(outline((await over(second)).sent));
    // A message from one client reaches the other as an acknowledgment.
    await say(second, "And?", taskId);
    const { data } = await first.take("ack");
    expect(data).toMatchObject({ status: "acked", targetMessage: { data: { message: "And?", taskId } } });
    expect((await over(first)).reason).toBe("answered");
    expect((await over(second)).reason).toBe("answered");
  });

  test("a running task rejects messages and resume, and continues", async () => {
    const agent = await startAgent({ answers: [hangAfter("Busy")] });
    const client = await join(agent.url);
    const taskId = await say(client, "Go");
    for (const type of ["userSendMessage", "resume"]) {
      client.send({ type, data: { taskId, message: "Now me" } });
      expect((await client.take("ack")).data["status"]).toBe("failed");
      expect((await client.take("error")).data).toEqual({
        message: "The task is already running. Interrupt it before you send another message.",
        taskId,
        updateTime: expect.any(Number),
      });
    }
    expect((await load(client, taskId)).status).toBe("streaming");
  });

  test("interrupt and resume fail with a reason if the task is not in the right state", async () => {
    const agent = await startAgent({ answers: [["Hi."]] });
    const client = await join(agent.url);
    const taskId = await say(client, "Hi");
    await over(client);
    expect(await client.complaintAbout({ type: "interrupt", data: { taskId } })).toBe(
      "The task is not running, so it cannot be interrupted.",
    );
    expect(await client.complaintAbout({ type: "resume", data: { taskId } })).toBe(
      "The task cannot be resumed: it was not interrupted and did not fail. Send a new message.",
    );
  });

  test("a task without clients continues for the grace period and is then interrupted", async () => {
    const agent = await startAgent({ answers: [hangAfter("Hm")], options: { grace: 50 } });
    const first = await join(agent.url);
    const taskId = await say(first, "Go");
    await first.take("message");
    first.socket.close();
    await first.closed;
    const second = await join(agent.url);
    // Loading the task would keep it running, so the test reads its log.
    const path = joinPath(agent.storage, taskId, "log.jsonl");
    await expect.poll(() => readFileSync(path, "utf8")).toContain('"aborted"');
    // The line is on disk before the status changes.
    await expect.poll(async () => (await load(second, taskId)).status, { timeout: 60_000 }).toBe("aborted");
  });

  test("a client that returns within the grace period finds the task running", async () => {
    const agent = await startAgent({ answers: [hangAfter("Hm")], options: { grace: 300 } });
    const first = await join(agent.url);
    const taskId = await say(first, "Go");
    first.socket.close();
    await first.closed;
    const second = await join(agent.url);
    expect((await load(second, taskId)).status).toBe("streaming");
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect((await load(second, taskId)).status).toBe("streaming");
  });

  test("rejects more running tasks than the limit", async () => {
    const agent = await startAgent({ answers: [hangAfter("a"), hangAfter("b")], options: { maxRunning: 2 } });
    const client = await join(agent.url);
    const taskId = await say(client, "1");
    await say(client, "2");
    expect(await client.complaintAbout({ type: "userSendMessage", data: { message: "3" } })).toBe(
      "Too many running tasks (limit: 2). Try again when one finishes.",
    );
    client.send({ type: "interrupt", data: { taskId } });
    await over(client);
  });
});

describe("subtasks", () => {
  const give = "<assignTasks><tasklist><task>Find A</task><task>Find B</task></tasklist></assignTasks>";

  /** Answers according to the first and last messages. */
  const model: ModelPort = async function* ({ messages, taskId }) {
    const [, first, last] = [messages[0], messages[1], messages.at(-1)];
    if (last?.role === "tool") yield `Both are there: ${last.content}`;
    else if (first?.content === "Find both") yield give;
    else if (first?.content === "Find A")
      yield "<completionResult><result>A is here</result></completionResult>";
    else yield `B is in ${taskId === "" ? "nothing" : "the box"}`;
  };

  test("run in parallel as separate tasks, and their results are returned", async () => {
    const agent = await startAgent({ answers: [model, model, model, model] });
    const client = await join(agent.url);
    const taskId = await say(client, "Find both");
    const { reason, sent } = await over(client);
    expect(reason).toBe("answered");
    const updates = sent.filter(({ type }) => type === "assignTaskUpdated").map(({ data }) => data);
    expect(updates.map(({ index, taskStatus }) => [index, taskStatus].join(" ")).toSorted()).toEqual([
      "0 completed",
      "0 running",
      "1 completed",
      "1 running",
    ]);
    expect(new Set(updates.map(({ parentTaskId }) => parentTaskId))).toEqual(new Set([taskId]));
    expect(sent.at(-1)?.data["message"]).toBe(
      'Both are there: All 2 subtasks are done.\n[{"part":1,"ok":true,"text":"A is here"},{"part":2,"ok":true,"text":"B is in the box"}]',
    );
    const part = updates.find(({ index }) => index === 0)?.["taskId"];
    client.send({ type: "loadTask", data: { taskId: part } });
    expect((await client.take("taskHistory")).data["parentTaskId"]).toBe(taskId);
    await client.take("ack");
    expect(outline((await load(client, String(part))).messages)).toEqual([
      "userSendMessage: Find A",
      "completionResult: A is here",
    ]);
    const history = await load(client, taskId);
    expect(history.messages.filter(({ type }) => type === "assignTaskUpdated")).toHaveLength(4);
    // Subtasks are not in the list of conversations and cannot start further subtasks.
    const other = await join(agent.url);
    other.send({ type: "userSendMessage", data: { message: "x" } });
    const listed = (await other.take("sessionHistories")).data["sessionHistories"] as readonly object[];
    expect(listed).toHaveLength(2);
    const askedOfPart = agent.asked.find(({ messages }) => messages[1]?.content === "Find A");
    expect(askedOfPart?.messages[0]?.content).not.toContain("assignTasks");
    expect(agent.asked[0]?.messages[0]?.content).toContain("## assignTasks");
  });

  test("stop with their parent", async () => {
    const hang = hangAfter("Looking");
    const either: ModelPort = (conversation, signal) =>
      conversation.messages[1]?.content === "Find both"
        ? model(conversation, signal)
        : hang(conversation, signal);
    const agent = await startAgent({ answers: [either, either, either] });
    const client = await join(agent.url);
    const taskId = await say(client, "Find both");
    await client.take("assignTaskUpdated");
    await expect.poll(() => agent.asked.length).toBe(3);
    client.send({ type: "interrupt", data: { taskId } });
    const { reason, sent } = await over(client);
    expect(reason).toBe("interrupted");
    const last = sent.findLast(({ type }) => type === "assignTaskUpdated")?.data;
    expect(last?.["taskStatus"]).toBe("interrupted");
    expect((await load(client, String(last?.["taskId"]))).status).toBe("aborted");
  });
});
