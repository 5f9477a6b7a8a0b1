import { describe, expect, test } from "vitest";
import { defineTool } from "../../src/tools/define-tool.js";
import { ModelError } from "../../src/models/model-port.js";
import { hangAfter, join, load, outline, over, say, startAgent } from "../support/conversation/agents.js";

const search = defineTool({
  name: "search",
  description: "Searches the archive",
  whenToUse: "When something was written before",
  params: [
    { name: "query", optional: false, description: "What to look for" },
    { name: "limit", optional: true, description: "How many", type: "number" },
  ],
  useExamples: [],
  invoke: async ({ params, getCurrentTask, postMessage, getToolFromName }) => {
    postMessage?.(`Looking for ${params.query}`);
    return {
      message: `Found 1 of ${params.limit ?? 10}`,
      toolResult: { task: getCurrentTask(), itself: getToolFromName("search")?.name },
    };
  },
});

const CALL = "<search><query>cats</query><limit>3</limit></search>";

describe("a conversation", () => {
  test("a response streams to the client and is complete at the end", async () => {
    const agent = await startAgent({ answers: [["Hel", "lo, ", "Ada"]] });
    const client = await join(agent.url);
    const taskId = await say(client, "Hi");
    const { reason, sent } = await over(client);
    expect(reason).toBe("answered");
    const time = sent[0]?.data["updateTime"];
    expect(sent).toEqual([
      { type: "message", data: { message: "Hel", taskId, partial: true, updateTime: time } },
      { type: "message", data: { message: "lo, ", taskId, partial: true, updateTime: time } },
      { type: "message", data: { message: "Ada", taskId, partial: true, updateTime: time } },
      { type: "message", data: { message: "Hello, Ada", taskId, updateTime: time } },
    ]);
  });

  test("calls run and their results are sent back until the task is completed", async () => {
    const agent = await startAgent({
      answers: [
        ["I look.\n", CALL.slice(0, 12), CALL.slice(12)],
        ["<completionResult><result>There is ", "one cat.</result></completionResult>"],
      ],
      tools: [search],
    });
    const client = await join(agent.url);
    const taskId = await say(client, "Is there a cat?");
    const { reason, sent } = await over(client);
    expect(reason).toBe("completed");
    expect(outline(sent)).toEqual([
      "message: I look.",
      "tool: search (done)",
      "completionResult: There is one cat.",
    ]);
    const cards = sent.filter(({ type }) => type === "tool").map(({ data }) => data);
    expect(new Set(cards.map(({ updateTime }) => updateTime)).size).toBe(1);
    expect(cards.map(({ status, message, params }) => [status, message, params])).toEqual(
      expect.arrayContaining([
        ["writing", "", {}],
        ["running", "", { query: "cats", limit: 3 }],
        ["running", "Looking for cats", { query: "cats", limit: 3 }],
      ]),
    );
    expect(cards.at(-1)).toEqual({
      taskId,
      toolName: "search",
      params: { query: "cats", limit: 3 },
      message: "Found 1 of 3",
      toolResult: { task: taskId, itself: "search" },
      status: "done",
      updateTime: expect.any(Number),
    });
    const pieces = sent.filter(({ type, data }) => type === "completionResult" && data["partial"] === true);
    expect(pieces.map(({ data }) => data["message"]).join("")).toBe("There is");
    expect(agent.asked[1]?.messages.slice(1)).toEqual([
      { role: "user", content: "Is there a cat?" },
      { role: "assistant", content: `I look.\n${CALL}` },
      {
        role: "tool",
        toolName: "search",
        content: `Found 1 of 3\n{"task":"${taskId}","itself":"search"}`,
      },
    ]);
  });

  test("text after a call is dropped and not sent back to the model", async () => {
    const agent = await startAgent({
      answers: [[`${CALL}<tool_result>made up</tool_result>`, " and more"], ["Well."]],
      tools: [search],
    });
    const client = await join(agent.url);
    await say(client, "Go");
    expect(outline((await over(client)).sent)).toEqual(["tool: search (done)", "message: Well."]);
    expect(agent.asked[1]?.messages[2]).toEqual({ role: "assistant", content: CALL });
  });

  test("the model receives the error for an invalid call and can correct the call", async () => {
    const agent = await startAgent({
      answers: [["<search><limit>many</limit></search>"], ["<search><query>cats"], ["I give up."]],
      tools: [search],
    });
    const client = await join(agent.url);
    await say(client, "Go");
    const { sent } = await over(client);
    expect(outline(sent)).toEqual(["tool: search (failed)", "tool: search (failed)", "message: I give up."]);
    expect(sent.find(({ data }) => data["status"] === "failed")?.data["error"]).toMatch(
      /^Tool 'search' parameter validation failed: /,
    );
    expect(agent.asked[2]?.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
    ]);
  });

  test("a question waits for the user, and the answer continues the same task", async () => {
    const question =
      "<askFollowupQuestion><question>Which?</question><suggestOptions><option>a</option><option>b</option></suggestOptions></askFollowupQuestion>";
    const agent = await startAgent({ answers: [[question], ["Fine, a."]] });
    const client = await join(agent.url);
    const taskId = await say(client, "Choose");
    const first = await over(client);
    expect(first.reason).toBe("question");
    expect(first.sent.at(-1)).toEqual({
      type: "askFollowupQuestion",
      data: { taskId, question: "Which?", suggestOptions: ["a", "b"], updateTime: expect.any(Number) },
    });
    await say(client, "a", taskId);
    expect((await over(client)).reason).toBe("answered");
    expect(agent.asked[1]?.messages.slice(1).map(({ content }) => content)).toEqual([
      "Choose",
      question,
      "The question was shown to the user. The next message is the answer.",
      "a",
    ]);
  });

  test("reasoning is shown separately and not sent back to the model", async () => {
    const agent = await startAgent({
      answers: [
        ["<thi", "nk>hmm, ", "let me see</th", "ink>\n\nYes."],
        [{ think: "again" }, "No."],
      ],
    });
    const client = await join(agent.url);
    const taskId = await say(client, "Well?");
    expect(outline((await over(client)).sent)).toEqual(["think: hmm, let me see", "message: Yes."]);
    await say(client, "Really?", taskId);
    expect(outline((await over(client)).sent)).toEqual(["think: again", "message: No."]);
    expect(agent.asked[1]?.messages[2]).toEqual({ role: "assistant", content: "\n\nYes." });
  });

  test("a registered tool replaces the built-in tool with the same name", async () => {
    const mine = defineTool({
      name: "completionResult",
      description: "Mine",
      whenToUse: "Always",
      params: [{ name: "result", optional: false, description: "x" }],
      useExamples: [],
      invoke: async () => ({ message: "not the end", toolResult: null }),
    });
    const agent = await startAgent({
      answers: [["<completionResult><result>x</result></completionResult>"], ["Over."]],
      tools: [mine],
    });
    const client = await join(agent.url);
    await say(client, "Go");
    expect(outline((await over(client)).sent)).toEqual(["tool: completionResult (done)", "message: Over."]);
  });
});

describe("a run ends", () => {
  test("at the step limit, and resume starts a new limit", async () => {
    const agent = await startAgent({
      answers: [[CALL], [CALL], ["At last."]],
      tools: [search],
      options: { maxSteps: 2 },
    });
    const client = await join(agent.url);
    const taskId = await say(client, "Go");
    const first = await over(client);
    expect(first.reason).toBe("stepLimit");
    expect(first.sent.at(-1)?.data["message"]).toBe(
      "The agent stopped after too many steps (limit: 2). Resume the task to continue.",
    );
    expect((await load(client, taskId)).status).toBe("aborted");
    client.send({ type: "resume", data: { taskId } });
    expect((await over(client)).reason).toBe("answered");
    expect(agent.asked[2]?.messages.at(-1)?.role).toBe("tool");
  });

  test("when a user interrupts: text is kept, and an incomplete call is discarded", async () => {
    const agent = await startAgent({
      answers: [hangAfter("I begin.\n", "<search><query>ca"), ["And end."]],
      tools: [search],
    });
    const client = await join(agent.url);
    const taskId = await say(client, "Go");
    await client.take("tool");
    client.send({ type: "interrupt", data: { taskId } });
    const { reason, sent } = await over(client);
    expect(reason).toBe("interrupted");
    expect(outline(sent)).toEqual([
      "ack:  (acked)",
      "tool: search (discarded)",
      "message: I begin. (interrupted)",
      "interrupt: ",
    ]);
    const { status, messages } = await load(client, taskId);
    expect(status).toBe("aborted");
    expect(outline(messages)).toEqual([
      "userSendMessage: Go",
      "message: I begin. (interrupted)",
      "interrupt: ",
    ]);
    client.send({ type: "resume", data: { taskId } });
    expect((await over(client)).reason).toBe("answered");
    expect(agent.asked[1]?.messages.slice(1)).toEqual([
      { role: "user", content: "Go" },
      { role: "assistant", content: "I begin.\n" },
      { role: "user", content: "Continue where you left off." },
    ]);
  });

  test("when a user interrupts a tool, even if the tool ignores the signal", async () => {
    const deaf = defineTool({
      name: "deaf",
      description: "Never ends",
      whenToUse: "Never",
      params: [],
      useExamples: [],
      invoke: () => new Promise<never>(() => undefined),
    });
    const agent = await startAgent({ answers: [["<deaf></deaf>"]], tools: [deaf] });
    const client = await join(agent.url);
    const taskId = await say(client, "Go");
    while ((await client.take("tool")).data["status"] !== "running");
    client.send({ type: "interrupt", data: { taskId } });
    const { reason, sent } = await over(client);
    expect(reason).toBe("interrupted");
    expect(outline(sent)).toContain("tool: deaf (interrupted)");
  });

  test("a tool that times out is reported to the model, and the run continues", async () => {
    const slow = defineTool({
      name: "slow",
      description: "Never ends",
      whenToUse: "Never",
      params: [],
      useExamples: [],
      invoke: () => new Promise<never>(() => undefined),
    });
    const agent = await startAgent({
      answers: [["<slow></slow>"], ["Then not."]],
      tools: [slow],
      options: { toolTimeout: 20 },
    });
    const client = await join(agent.url);
    await say(client, "Go");
    const { reason, sent } = await over(client);
    expect(reason).toBe("answered");
    expect(sent.find(({ data }) => data["status"] === "failed")?.data["error"]).toBe(
      "Tool 'slow' timed out after 20 ms.",
    );
  });

  test.each([
    ["a ModelError", new ModelError("The model is on holiday"), "The model is on holiday"],
    [
      "any other error",
      new Error("secret-canary at line 3"),
      "The model failed because of an internal error.",
    ],
  ])("when the model fails with %s", async (_kind, error, told) => {
    const agent = await startAgent({
      answers: [
        async function* () {
          yield "So far ";
          throw error;
        },
        ["Better."],
      ],
    });
    const client = await join(agent.url);
    const taskId = await say(client, "Go");
    const { reason, sent } = await over(client);
    expect(reason).toBe("error");
    expect(outline(sent)).toEqual(["message: So far (interrupted)", `error: ${told}`]);
    expect(JSON.stringify(sent)).not.toContain("canary");
    expect((await load(client, taskId)).status).toBe("error");
    client.send({ type: "resume", data: { taskId } });
    expect((await over(client)).reason).toBe("answered");
  });

  test("with an error if the model sends nothing", async () => {
    const agent = await startAgent({ answers: [["  \n"]] });
    const client = await join(agent.url);
    await say(client, "Go");
    expect(outline((await over(client)).sent).at(-1)).toBe("error: The model returned an empty response.");
  });

  test("a response that is cut off is discarded and requested again", async () => {
    const agent = await startAgent({
      answers: [
        async function* () {
          yield "Half a\n";
          yield "<search><query>ca";
          throw new ModelError("The connection to the model server was lost.", { isTransient: true });
        },
        ["A whole answer."],
      ],
      tools: [search],
    });
    const client = await join(agent.url);
    const taskId = await say(client, "Go");
    const { reason, sent } = await over(client);
    expect(reason).toBe("answered");
    expect(outline(sent)).toEqual([
      "message:  (discarded)",
      "tool: search (discarded)",
      "alert: The connection to the model server was lost. Retrying.",
      "message: A whole answer.",
    ]);
    expect(outline((await load(client, taskId)).messages)).toEqual([
      "userSendMessage: Go",
      "alert: The connection to the model server was lost. Retrying.",
      "message: A whole answer.",
    ]);
  });
});
