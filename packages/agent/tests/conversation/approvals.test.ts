import { appendFileSync, cpSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { ApprovalPolicy } from "../../src/tools/approval-policy.js";
import { defineTool, type ToolDefinition } from "../../src/tools/define-tool.js";
import type { ModelPiece } from "../../src/models/model-port.js";
import { temporaryFolder, type TestClient } from "../support/socket/clients.js";
import {
  type AgentParts,
  join,
  load,
  over,
  outline,
  say,
  startAgent,
} from "../support/conversation/agents.js";

/** Creates a tool that counts its calls. */
function createTool(approval: ApprovalPolicy | undefined, name = "write") {
  const calls: unknown[] = [];
  const tool: ToolDefinition = defineTool({
    name,
    description: "Writes a text",
    whenToUse: "Always",
    params: [{ name: "text", optional: false, description: "The text" }],
    useExamples: [],
    approval,
    invoke({ params }) {
      calls.push(params);
      return Promise.resolve({ message: "Written", toolResult: null });
    },
  });
  return { tool, calls };
}

const XML = ["<write><text>hello</text></write>"];

function nativeCalls(...texts: readonly string[]): readonly ModelPiece[] {
  return texts.map((text, index) => ({
    call: { index, id: `c${index}`, name: "write", arguments: JSON.stringify({ text }) },
  }));
}

async function start(parts: AgentParts) {
  const agent = await startAgent(parts);
  const client = await join(agent.url);
  const taskId = await say(client, "Go");
  const { reason, sent } = await over(client);
  const approvals = sent.filter(({ type }) => type === "approval").map(({ data }) => data);
  return { agent, client, taskId, reason, sent, approvals };
}

async function decide(client: TestClient, data: object) {
  client.send({ type: "answerApproval", data });
  return (await client.take("ack")).data["status"];
}

describe.each(["xml", "native"] as const)("approvals with %s calls", (toolCalls) => {
  const call = toolCalls === "xml" ? XML : nativeCalls("hello");

  test("a call waits until it is approved, and then the run goes on", async () => {
    const { tool, calls } = createTool("ask");
    const { agent, client, taskId, reason, approvals } = await start({
      tools: [tool],
      toolCalls,
      answers: [call, ["Done."]],
    });
    expect(reason).toBe("approval");
    expect(calls).toEqual([]);
    expect(approvals).toEqual([
      expect.objectContaining({ taskId, toolName: "write", params: { text: "hello" }, status: "waiting" }),
    ]);
    expect(await load(client, taskId)).toMatchObject({ status: "waiting" });
    const { approvalId } = approvals[0] ?? {};
    expect(await decide(client, { taskId, approvalId, decision: "approve" })).toBe("acked");
    const after = await over(client);
    expect(after.reason).toBe("answered");
    expect(outline(after.sent)).toEqual([
      "approval: write (approved)",
      "tool: write (done)",
      "message: Done.",
    ]);
    expect(calls).toEqual([{ text: "hello" }]);
    expect(agent.asked[1]?.messages.at(-1)).toMatchObject({ role: "tool", content: "Written" });
  });

  test("a denied call does not run, and the model receives the reason", async () => {
    const { tool, calls } = createTool("ask");
    const { agent, client, taskId, approvals } = await start({
      tools: [tool],
      toolCalls,
      answers: [call, ["Then not."]],
    });
    const { approvalId } = approvals[0] ?? {};
    await decide(client, { taskId, approvalId, decision: "deny", reason: "Not today" });
    const after = await over(client);
    expect(outline(after.sent)).toEqual([
      "approval: write (denied)",
      "tool: write (denied)",
      "message: Then not.",
    ]);
    expect(calls).toEqual([]);
    expect(agent.asked[1]?.messages.at(-1)).toMatchObject({
      role: "tool",
      content: "The user denied this call: Not today",
    });
  });

  test("`always` approves later calls to the same tool in the same task, also after a restart", async () => {
    const { tool, calls } = createTool("ask");
    const first = await start({ tools: [tool], toolCalls, answers: [call, call, ["Done."]] });
    const { client, taskId } = first;
    await decide(client, { taskId, approvalId: first.approvals[0]?.["approvalId"], decision: "always" });
    expect((await over(client)).reason).toBe("answered");
    expect(calls).toHaveLength(2);
    await first.agent.server.stop();
    const again = await startAgent({
      tools: [tool],
      toolCalls,
      answers: [call, ["Done."], call],
      storage: first.agent.storage,
    });
    const other = await join(again.url);
    await say(other, "More", taskId);
    expect((await over(other)).reason).toBe("answered");
    expect(calls).toHaveLength(3);
    await say(other, "Another task");
    expect((await over(other)).reason).toBe("approval");
  });

  test("a waiting call survives a restart of the server and runs exactly once", async () => {
    const { tool, calls } = createTool("ask");
    const before = await start({ tools: [tool], toolCalls, answers: [call] });
    await before.agent.server.stop();
    const { storage } = before.agent;
    const after = await startAgent({ tools: [tool], toolCalls, answers: [["Done."]], storage });
    const client = await join(after.url);
    const { taskId } = before;
    const { status, messages } = await load(client, taskId);
    expect(status).toBe("waiting");
    const approval = messages.find(({ type }) => type === "approval")?.data;
    expect(approval).toMatchObject({ status: "waiting" });
    await decide(client, { taskId, approvalId: approval?.["approvalId"], decision: "approve" });
    expect((await over(client)).reason).toBe("answered");
    expect(calls).toEqual([{ text: "hello" }]);
    expect(after.asked[0]?.messages.at(-1)).toMatchObject({ role: "tool", content: "Written" });
  });

  test("the first decision counts, and later ones are rejected", async () => {
    const { tool, calls } = createTool("ask");
    const { agent, client, taskId, approvals } = await start({
      tools: [tool],
      toolCalls,
      answers: [call, ["Done."]],
    });
    const other = await join(agent.url);
    await load(other, taskId);
    const { approvalId } = approvals[0] ?? {};
    const [one, two] = await Promise.all([
      decide(client, { taskId, approvalId, decision: "approve" }),
      decide(other, { taskId, approvalId, decision: "deny" }),
    ]);
    expect(new Set([one, two])).toEqual(new Set(["acked", "failed"]));
    await over(client);
    expect(calls).toHaveLength(one === "acked" ? 1 : 0);
  });

  test("a new message cancels a waiting call", async () => {
    const { tool, calls } = createTool("ask");
    const { agent, client, taskId, approvals } = await start({
      tools: [tool],
      toolCalls,
      answers: [call, ["Something else."]],
    });
    await say(client, "Forget it", taskId);
    const { sent } = await over(client);
    expect(outline(sent)).toContain("approval: write (cancelled)");
    expect(agent.asked[1]?.messages.slice(-2)).toMatchObject([
      { role: "tool", content: expect.stringContaining("had no effect") },
      { role: "user", content: "Forget it" },
    ]);
    const { approvalId } = approvals[0] ?? {};
    expect(await decide(client, { taskId, approvalId, decision: "approve" })).toBe("failed");
    expect(calls).toEqual([]);
  });

  test("an interrupt cancels a waiting call, and `resume` does not run it", async () => {
    const { tool, calls } = createTool("ask");
    const { client, taskId } = await start({ tools: [tool], toolCalls, answers: [call, ["Resumed."]] });
    client.send({ type: "interrupt", data: { taskId } });
    await client.take("interrupt");
    expect(await load(client, taskId)).toMatchObject({ status: "aborted" });
    client.send({ type: "resume", data: { taskId } });
    expect((await over(client)).reason).toBe("answered");
    expect(calls).toEqual([]);
  });
});

describe("several calls", () => {
  test("calls that need no approval run at once, and the run goes on when all others are decided", async () => {
    const { tool, calls } = createTool(({ params }) => (params["text"] === "safe" ? "auto" : "ask"));
    const { agent, client, taskId, approvals } = await start({
      tools: [tool],
      toolCalls: "native",
      answers: [nativeCalls("one", "safe", "two"), ["Done."]],
    });
    expect(calls).toEqual([{ text: "safe" }]);
    expect(approvals.map(({ params }) => params)).toEqual([{ text: "one" }, { text: "two" }]);
    const [first, second] = approvals.map(({ approvalId }) => approvalId);
    await decide(client, { taskId, approvalId: second, decision: "approve" });
    expect(calls).toHaveLength(1);
    await decide(client, { taskId, approvalId: first, decision: "deny" });
    await over(client);
    expect(calls).toEqual([{ text: "safe" }, { text: "two" }]);
    const results = agent.asked[1]?.messages.flatMap((message) =>
      message.role === "tool" ? [message.content] : [],
    );
    expect(results).toEqual(["The user denied this call.", "Written", "Written"]);
  });

  test("a decision while another call still runs continues the same run", async () => {
    const { tool, calls } = createTool("ask");
    let release = () => {};
    const slow = defineTool({
      name: "slow",
      description: "Waits",
      whenToUse: "Always",
      params: [],
      useExamples: [],
      async invoke() {
        await new Promise<void>((resolve) => (release = resolve));
        return { message: "slow done", toolResult: null };
      },
    });
    const agent = await startAgent({
      tools: [tool, slow],
      toolCalls: "native",
      answers: [
        [...nativeCalls("hello"), { call: { index: 1, id: "c1", name: "slow", arguments: "{}" } }],
        ["Done."],
      ],
    });
    const client = await join(agent.url);
    const taskId = await say(client, "Go");
    const { data } = await client.take("approval");
    await decide(client, { taskId, approvalId: data["approvalId"], decision: "approve" });
    expect(calls).toEqual([]);
    release();
    expect((await over(client)).reason).toBe("answered");
    expect(calls).toEqual([{ text: "hello" }]);
  });
});

test("an interrupt while another call runs cancels a waiting call", async () => {
  const { tool, calls } = createTool("ask");
  const hang = defineTool({
    name: "hang",
    description: "Waits",
    whenToUse: "Always",
    params: [],
    useExamples: [],
    invoke: () => new Promise<never>(() => undefined),
  });
  const agent = await startAgent({
    tools: [tool, hang],
    toolCalls: "native",
    answers: [
      [...nativeCalls("hello"), { call: { index: 1, id: "c1", name: "hang", arguments: "{}" } }],
      ["Resumed."],
    ],
  });
  const client = await join(agent.url);
  const taskId = await say(client, "Go");
  const { data } = await client.take("approval");
  client.send({ type: "interrupt", data: { taskId } });
  const { reason, sent } = await over(client);
  expect(reason).toBe("interrupted");
  expect(outline(sent)).toContain("approval: write (cancelled)");
  const { approvalId } = data;
  expect(await decide(client, { taskId, approvalId, decision: "approve" })).toBe("failed");
  client.send({ type: "resume", data: { taskId } });
  expect((await over(client)).reason).toBe("answered");
  expect(calls).toEqual([]);
});

test("two calls with the same ID are decided separately", async () => {
  const { tool, calls } = createTool("ask");
  const twice = ["one", "two"].map((text, index) => ({
    call: { index, id: "call_1", name: "write", arguments: JSON.stringify({ text }) },
  }));
  const { client, taskId, approvals } = await start({
    tools: [tool],
    toolCalls: "native",
    answers: [twice, ["Done."]],
  });
  for (const { approvalId, params } of approvals) {
    const isFirst = (params as { readonly text: string }).text === "one";
    await decide(client, { taskId, approvalId, decision: isFirst ? "approve" : "deny" });
  }
  await over(client);
  expect(calls).toEqual([{ text: "one" }]);
});

describe("policies", () => {
  test("`deny` rejects every call without asking", async () => {
    const { tool, calls } = createTool("deny");
    const { reason, sent } = await start({ tools: [tool], answers: [XML, ["Done."]] });
    expect(reason).toBe("answered");
    expect(outline(sent)[0]).toBe("tool: write (denied)");
    expect(calls).toEqual([]);
  });

  test("a function decides by the parameters, and a function that fails rejects the call", async () => {
    const { tool, calls } = createTool(() => {
      throw new Error("secret");
    });
    const { sent, agent } = await start({ tools: [tool], answers: [XML, ["Done."]] });
    expect(outline(sent)[0]).toBe("tool: write (denied)");
    expect(agent.asked[1]?.messages.at(-1)?.content).toContain("not allowed");
    expect(JSON.stringify(sent)).not.toContain("secret");
    expect(calls).toEqual([]);
  });

  test.each([
    [undefined, "answered"],
    [{}, "approval"],
    [{ readOnlyHint: true }, "answered"],
    [{ readOnlyHint: false }, "approval"],
    [{ destructiveHint: false }, "approval"],
  ] as const)("by default, a tool with the hints %j ends the run with %s", async (annotations, reason) => {
    const { tool } = createTool(undefined);
    const agent = await start({ tools: [{ ...tool, annotations }], answers: [XML, ["Done."]] });
    expect(agent.reason).toBe(reason);
  });

  test("the rule of the conversation options applies to tools without one", async () => {
    const { tool, calls } = createTool(undefined);
    const own = createTool("auto", "own");
    const { reason } = await start({
      tools: [tool, own.tool],
      options: { approval: "ask" },
      answers: [["<own><text>x</text></own>"], XML, ["Done."]],
    });
    expect([reason, own.calls.length, calls.length]).toEqual(["approval", 1, 0]);
  });

  test("built-in tools need no approval", async () => {
    const { reason } = await start({
      options: { approval: "ask" },
      answers: [
        ["<assignTasks><tasklist><task>Go</task></tasklist></assignTasks>"],
        ["Done."],
        ["<readResult><resultId>x</resultId></readResult>"],
        ["Done."],
      ],
    });
    expect(reason).toBe("answered");
  });

  test("an invalid call is never shown for approval", async () => {
    const { tool } = createTool("ask");
    const { reason, approvals } = await start({
      tools: [tool],
      toolCalls: "native",
      answers: [[{ call: { index: 0, id: "c0", name: "write", arguments: "{}" } }], ["Sorry."]],
    });
    expect([reason, approvals]).toEqual(["answered", []]);
  });
});

describe("subtasks", () => {
  test("wait for approval while they run, and the parent task shows the approval", async () => {
    const { tool, calls } = createTool("ask");
    const agent = await startAgent({
      tools: [tool],
      answers: [
        ["<assignTasks><tasklist><task>Write</task></tasklist></assignTasks>"],
        XML,
        ["Written by the subtask."],
        ["All done."],
      ],
    });
    const client = await join(agent.url);
    const taskId = await say(client, "Go");
    const { data } = await client.take("approval");
    expect(data).toMatchObject({ taskId, status: "waiting", toolName: "write" });
    await decide(client, { taskId: data["subtaskId"], approvalId: data["approvalId"], decision: "approve" });
    const { reason, sent } = await over(client);
    expect(reason).toBe("answered");
    expect(outline(sent)).toContain("approval: write (approved)");
    expect(calls).toEqual([{ text: "hello" }]);
  });

  test("after a crash, the approval of a subtask is cancelled, and the parent can be resumed", async () => {
    const { tool, calls } = createTool("ask");
    const answers = [["<assignTasks><tasklist><task>Write</task></tasklist></assignTasks>"], XML];
    const before = await startAgent({ tools: [tool], answers });
    const client = await join(before.url);
    const taskId = await say(client, "Go");
    const { data } = await client.take("approval");
    // The files of a server that is still running are those of a crash.
    const storage = temporaryFolder();
    cpSync(before.storage, storage, { recursive: true });
    const after = await startAgent({ tools: [tool], answers: [["Continued."]], storage });
    const other = await join(after.url);
    const { messages } = await load(other, taskId);
    expect(outline(messages)).toContain("approval: write (cancelled)");
    const { subtaskId, approvalId } = data;
    expect(await decide(other, { taskId: subtaskId, approvalId, decision: "approve" })).toBe("failed");
    expect(await load(other, String(subtaskId))).toMatchObject({ status: "aborted" });
    other.send({ type: "resume", data: { taskId } });
    expect((await over(other)).reason).toBe("answered");
    expect(calls).toEqual([]);
  });

  test("an interrupt of the parent cancels the approval of a subtask", async () => {
    const { tool, calls } = createTool("ask");
    const agent = await startAgent({
      tools: [tool],
      answers: [["<assignTasks><tasklist><task>Write</task></tasklist></assignTasks>"], XML],
    });
    const client = await join(agent.url);
    const taskId = await say(client, "Go");
    await client.take("approval");
    client.send({ type: "interrupt", data: { taskId } });
    const { reason, sent } = await over(client);
    expect(reason).toBe("interrupted");
    expect(outline(sent)).toContain("approval: write (cancelled)");
    expect(calls).toEqual([]);
  });
});

test("after a crash between the last decision and its call, the task can be resumed, and the call runs once", async () => {
  const { tool, calls } = createTool("ask");
  const before = await start({ tools: [tool], answers: [XML] });
  await before.agent.server.stop();
  const { storage } = before.agent;
  const { approvalId } = before.approvals[0] ?? {};
  const decided = { approvalGiven: { approvalId, decision: "approve" } };
  appendFileSync(`${storage}/${before.taskId}/log.jsonl`, `${JSON.stringify(decided)}\n`);
  const after = await startAgent({ tools: [tool], answers: [["Done."]], storage });
  const client = await join(after.url);
  expect(await load(client, before.taskId)).toMatchObject({ status: "aborted" });
  client.send({ type: "resume", data: { taskId: before.taskId } });
  expect((await over(client)).reason).toBe("answered");
  expect(calls).toEqual([{ text: "hello" }]);
});
