import { describe, expect, test } from "vitest";
import { defineTool } from "../../src/tools/define-tool.js";
import { ModelError, type ModelPiece, type ModelPort } from "../../src/models/model-port.js";
import {
  type AgentParts,
  hangAfter,
  join,
  load,
  over,
  outline,
  say,
  startAgent,
} from "../support/conversation/agents.js";

const cutOff: ModelPiece = { finish: { reason: "length" } };

async function run(parts: AgentParts) {
  const agent = await startAgent(parts);
  const client = await join(agent.url);
  const taskId = await say(client, "Go");
  const { reason, sent } = await over(client);
  return { agent, client, taskId, reason, sent };
}

describe("a response that reaches the model's length limit", () => {
  test("is continued once", async () => {
    const { agent, reason, sent } = await run({ answers: [["Half a ", cutOff], ["sentence."]] });
    expect(reason).toBe("answered");
    expect(outline(sent).at(-1)).toBe("message: Half a sentence.");
    expect(
      new Set(sent.filter(({ type }) => type === "message").map(({ data }) => data["updateTime"])).size,
    ).toBe(1);
    expect(agent.asked[1]?.messages.slice(-2)).toMatchObject([
      { role: "assistant", content: "Half a " },
      { role: "user", content: expect.stringContaining("Continue exactly where it stopped") },
    ]);
  });

  test("twice ends the run with a status that says so, and the task can be resumed", async () => {
    const { agent, client, taskId, reason, sent } = await run({
      answers: [["One", cutOff], ["two", cutOff], ["three."]],
    });
    expect(reason).toBe("length");
    expect(outline(sent).at(-1)).toMatch(/^alert: The response is incomplete/);
    expect(await load(client, taskId)).toMatchObject({ status: "aborted" });
    client.send({ type: "resume", data: { taskId } });
    expect((await over(client)).reason).toBe("answered");
    expect(agent.asked).toHaveLength(3);
  });

  test("before any text ends the run", async () => {
    expect((await run({ answers: [[{ think: "hm" }, cutOff]] })).reason).toBe("length");
  });

  test("in the middle of a native call does not run the call, and the model can repeat it", async () => {
    let calls = 0;
    const tool = defineTool({
      name: "write",
      description: "Writes",
      whenToUse: "Always",
      params: [{ name: "text", optional: false, description: "Text" }],
      useExamples: [],
      invoke: () => Promise.resolve({ message: `ok ${++calls}`, toolResult: null }),
    });
    const { reason, agent } = await run({
      tools: [tool],
      toolCalls: "native",
      answers: [
        [{ call: { index: 0, id: "a", name: "write", arguments: '{"text":"hal' } }, cutOff],
        ["Sorry."],
      ],
    });
    expect([reason, calls]).toEqual(["answered", 0]);
    expect(agent.asked[1]?.messages.at(-1)).toMatchObject({ role: "tool", callId: "a" });
  });
});

test("a call without arguments in a response that was cut off does not run", async () => {
  let calls = 0;
  const tool = defineTool({
    name: "clear",
    description: "Clears",
    whenToUse: "Always",
    params: [{ name: "what", optional: true, description: "Everything by default" }],
    useExamples: [],
    invoke: () => Promise.resolve({ message: `ok ${++calls}`, toolResult: null }),
  });
  const pieces: ModelPiece[] = [{ call: { index: 0, id: "a", name: "clear" } }, cutOff];
  const { reason } = await run({ tools: [tool], toolCalls: "native", answers: [pieces, ["Sorry."]] });
  expect([reason, calls]).toEqual(["answered", 0]);
});

test("calls of a response that the content filter ended do not run", async () => {
  let calls = 0;
  const tool = defineTool({
    name: "work",
    description: "Works",
    whenToUse: "Always",
    params: [],
    useExamples: [],
    invoke: () => Promise.resolve({ message: `ok ${++calls}`, toolResult: null }),
  });
  const pieces: ModelPiece[] = [
    { call: { index: 0, id: "a", name: "work", arguments: "{}" } },
    { finish: { reason: "content-filter" } },
  ];
  const { reason } = await run({ tools: [tool], toolCalls: "native", answers: [pieces] });
  expect([reason, calls]).toEqual(["filtered", 0]);
});

test("a reloaded client sees why the last run ended", async () => {
  const { client, taskId } = await run({
    answers: [["So", { finish: { reason: "content-filter" } }], ["Fine."]],
  });
  const reasonOf = async () => {
    client.send({ type: "loadTask", data: { taskId } });
    return (await client.take("taskHistory")).data["reason"];
  };
  expect(await reasonOf()).toBe("filtered");
  await say(client, "Again", taskId);
  await over(client);
  expect(await reasonOf()).toBeUndefined();
});

test("a message that leaves no room for responses is rejected", async () => {
  const agent = await startAgent({ options: { maxTaskBytes: 10_000 }, answers: [] });
  const client = await join(agent.url);
  const message = "x".repeat(4_000);
  const complaint = await client.complaintAbout({ type: "userSendMessage", data: { message } });
  expect(complaint).toBe(
    "The message does not fit into the task (limit: 7500 bytes). Start a new task, or send smaller files.",
  );
});

test("a response that the provider's content filter ends has a status of its own", async () => {
  const { reason, sent } = await run({ answers: [["So", { finish: { reason: "content-filter" } }]] });
  expect(reason).toBe("filtered");
  expect(outline(sent).at(-1)).toContain("content filter");
});

describe("usage", () => {
  const counted = (inputTokens: number, outputTokens: number): ModelPiece => ({
    finish: { reason: "stop", usage: { inputTokens, outputTokens } },
  });

  test("is reported for the response, the run, and the task, and is in the history after a restart", async () => {
    const answers = [
      ["One", counted(10, 2)],
      ["Two", counted(20, 3)],
    ] as const;
    const agent = await startAgent({ answers });
    const client = await join(agent.url);
    const taskId = await say(client, "Go");
    const first = (await client.take("usage")).data;
    expect(first).toEqual({
      taskId,
      response: { inputTokens: 10, outputTokens: 2 },
      run: { inputTokens: 10, outputTokens: 2 },
      task: { inputTokens: 10, outputTokens: 2 },
      contextTokens: 12,
    });
    await over(client);
    await say(client, "More", taskId);
    expect((await client.take("usage")).data).toMatchObject({
      run: { inputTokens: 20, outputTokens: 3 },
      task: { inputTokens: 30, outputTokens: 5 },
    });
    await over(client);
    await agent.server.stop();
    const after = await startAgent({ storage: agent.storage });
    const other = await join(after.url);
    other.send({ type: "loadTask", data: { taskId } });
    expect((await other.take("taskHistory")).data["usage"]).toEqual({ inputTokens: 30, outputTokens: 5 });
  });

  test("is estimated if the model does not report it", async () => {
    const agent = await startAgent({ answers: [["Twelve chars"]] });
    const client = await join(agent.url);
    await say(client, "Go");
    expect((await client.take("usage")).data).toMatchObject({
      isEstimated: true,
      response: { outputTokens: 3 },
    });
  });

  test.each([
    ["run", { run: 30 }, "The run used too many tokens (limit: 30)"],
    ["task", { task: 30 }, "The task used too many tokens (limit: 30)"],
    ["day", { userPerDay: 30 }, "Too many tokens were used today (limit: 30)"],
  ])("a budget for a %s stops the run before the next model call", async (_name, budgets, text) => {
    const again: ModelPiece = "<noop></noop>";
    const noop = defineTool({
      name: "noop",
      description: "Does nothing",
      whenToUse: "Always",
      params: [],
      useExamples: [],
      invoke: () => Promise.resolve({ message: "ok", toolResult: null }),
    });
    const model: ModelPort = async function* () {
      yield { finish: { reason: "stop", usage: { inputTokens: 10, outputTokens: 10 } } };
      yield again;
    };
    const { agent, reason, sent } = await run({
      tools: [noop],
      options: { budgets },
      answers: [model, model, model, model],
    });
    expect(reason).toBe("budget");
    expect(agent.asked).toHaveLength(2);
    expect(outline(sent).at(-1)).toContain(text);
  });

  test("a response that a user interrupts is counted", async () => {
    const agent = await startAgent({
      options: { budgets: { task: 5 } },
      answers: [hangAfter("x".repeat(400))],
    });
    const client = await join(agent.url);
    const taskId = await say(client, "Go");
    await client.take("message");
    client.send({ type: "interrupt", data: { taskId } });
    await over(client);
    client.send({ type: "resume", data: { taskId } });
    expect((await over(client)).reason).toBe("budget");
  });

  test("the budget of a run includes its subtasks", async () => {
    const counted20: ModelPiece = { finish: { reason: "stop", usage: { inputTokens: 20 } } };
    const { agent, reason } = await run({
      toolCalls: "native",
      options: { budgets: { run: 30 } },
      answers: [
        [{ call: { index: 0, id: "a", name: "assignTasks", arguments: '{"tasklist":["Go"]}' } }, counted20],
        ["Done.", counted20],
        ["Never.", counted20],
      ],
    });
    expect([reason, agent.asked.length]).toEqual(["budget", 2]);
  });

  test("a daily budget counts all tasks, also after a restart", async () => {
    const options = { budgets: { userPerDay: 20 } };
    const { agent } = await run({ options, answers: [["One", counted(10, 15)]] });
    await agent.server.stop();
    const after = await startAgent({ options, storage: agent.storage, answers: [["Never"]] });
    const client = await join(after.url);
    await say(client, "Another task");
    expect((await over(client)).reason).toBe("budget");
    expect(after.asked).toEqual([]);
  });
});

describe("a conversation that is too long for the model", () => {
  const tooLong: ModelPort = async function* () {
    yield* [];
    throw new ModelError("The request was rejected.", { kind: "context-length" });
  };

  test("is shortened and sent again", async () => {
    const { reason, agent } = await run({ answers: [tooLong, ["Fits now."]] });
    expect([reason, agent.asked.length]).toEqual(["answered", 2]);
  });

  test("ends with a clear error if that does not help", async () => {
    const { reason, sent } = await run({ answers: [tooLong, tooLong] });
    expect(reason).toBe("error");
    expect(outline(sent).at(-1)).toBe(
      "error: The conversation is too long for the model, even after it was shortened. Start a new task.",
    );
  });
});
