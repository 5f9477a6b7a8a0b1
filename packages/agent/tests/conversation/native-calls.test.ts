import { describe, expect, test } from "vitest";
import { NativeAnswerReader } from "../../src/conversation/answer/answer-reader.js";
import { defineTool } from "../../src/tools/define-tool.js";
import { join, load, outline, over, say, startAgent } from "../support/conversation/agents.js";

const add = defineTool({
  name: "math.add",
  description: "Adds",
  whenToUse: "To add",
  params: [
    { name: "a", optional: false, description: "One", type: "number" },
    { name: "b", optional: false, description: "The other", type: "number" },
  ],
  useExamples: [],
  invoke: async ({ params }) => ({ message: `${params.a + params.b}`, toolResult: params.a + params.b }),
});

describe("native calls", () => {
  test("arrive in parts, are shown while they arrive, and their results are in order", async () => {
    const agent = await startAgent({
      toolCalls: "native",
      tools: [add],
      answers: [
        [
          "Adding. ",
          { call: { index: 0, id: "c0", name: "math_add", arguments: "" } },
          { call: { index: 0, arguments: '{"a":1,' } },
          { call: { index: 1, id: "c1", name: "math_add", arguments: '{"a":3' } },
          { call: { index: 0, arguments: '"b":2}' } },
          { call: { index: 1, arguments: ',"b":"x"}' } },
        ],
        [{ call: { index: 0, id: "c2", name: "completionResult", arguments: '{"result":"It is 3."}' } }],
      ],
    });
    const client = await join(agent.url);
    const taskId = await say(client, "Add");
    const { reason, sent } = await over(client);
    expect(reason).toBe("completed");
    expect(outline(sent)).toEqual([
      "message: Adding.",
      "tool: math.add (failed)",
      "tool: math.add (done)",
      "completionResult: It is 3.",
    ]);
    expect(sent.filter(({ data }) => data["status"] === "writing").map(({ data }) => data["params"])).toEqual(
      expect.arrayContaining([{}, { a: 1 }, { a: 1, b: 2 }, { a: 3, b: "x" }]),
    );
    expect(agent.asked[0]?.tools.map(({ name }) => name)).toContain("math_add");
    expect(agent.asked[1]?.messages.slice(2)).toEqual([
      {
        role: "assistant",
        content: "Adding. ",
        calls: [
          { id: "c0", name: "math_add", arguments: '{"a":1,"b":2}' },
          { id: "c1", name: "math_add", arguments: '{"a":3,"b":"x"}' },
        ],
      },
      { role: "tool", toolName: "math.add", callId: "c0", content: "3\n3" },
      {
        role: "tool",
        toolName: "math.add",
        callId: "c1",
        content: "Tool 'math.add' parameter validation failed: b: Expected a number; got \"x\"",
      },
    ]);
    expect((await load(client, taskId)).status).toBe("completed");
  });

  test("no call runs after the one that ends the task, and every call receives a result", async () => {
    const agent = await startAgent({
      toolCalls: "native",
      tools: [add],
      answers: [
        [
          { call: { index: 0, id: "c0", name: "completionResult", arguments: '{"result":"Done"}' } },
          { call: { index: 1, id: "c1", name: "math_add", arguments: '{"a":1,"b":2}' } },
        ],
        ["Yes?"],
      ],
    });
    const client = await join(agent.url);
    const taskId = await say(client, "Go");
    expect(outline((await over(client)).sent)).toEqual([
      "completionResult: Done",
      "tool: math.add (discarded)",
    ]);
    await say(client, "More", taskId);
    await over(client);
    expect(agent.asked[1]?.messages.filter(({ role }) => role === "tool")).toEqual([
      {
        role: "tool",
        toolName: "completionResult",
        callId: "c0",
        content: "The result was shown to the user.",
      },
      {
        role: "tool",
        toolName: "math.add",
        callId: "c1",
        content:
          "This call was not run, because an earlier call ended the response or the task was interrupted.",
      },
    ]);
  });

  test("tags in the text are plain text", async () => {
    const agent = await startAgent({
      toolCalls: "native",
      tools: [add],
      answers: [["<math.add><a>1</a><b>2</b></math.add>"]],
    });
    const client = await join(agent.url);
    await say(client, "Go");
    expect(outline((await over(client)).sent)).toEqual(["message: <math.add><a>1</a><b>2</b></math.add>"]);
  });

  test.each([
    ["", {}, undefined],
    ["{", {}, "The arguments must be a JSON object"],
    ["[1]", {}, "The arguments must be a JSON object"],
    ['{"a":1}', { a: 1 }, undefined],
  ])("arguments %j are parsed", (text, params, problem) => {
    const reader = new NativeAnswerReader(new Map());
    reader.feed({ call: { index: 0, id: "x", name: "t", arguments: text } });
    const [event] = reader.finish();
    expect(event).toMatchObject({ type: "call", call: { name: "t", id: "x", params } });
    expect(event?.type === "call" ? event.call.error?.message : "").toBe(
      problem && `Tool 't' parameter validation failed: ${problem}`,
    );
  });

  test("a call without a name is ignored, and a call without an ID receives a new ID", () => {
    const reader = new NativeAnswerReader(new Map());
    expect(reader.feed({ call: { index: 0, arguments: "{}" } })).toEqual([]);
    reader.feed({ call: { index: 1, name: "t" } });
    expect(reader.finish()).toEqual([
      { type: "call", index: 1, call: { name: "t", params: {}, id: "call_1" } },
    ]);
  });

  test("too many calls and responses that are too long are rejected", () => {
    const reader = new NativeAnswerReader(new Map());
    expect(() => {
      for (let index = 0; index <= 32; index++) reader.feed({ call: { index, name: "t" } });
    }).toThrow("The model called too many tools in one response (limit: 32).");
    expect(() => new NativeAnswerReader(new Map()).feed("x".repeat(1_000_001))).toThrow(
      "The model's response is too long (limit: 1000000 characters).",
    );
  });
});
