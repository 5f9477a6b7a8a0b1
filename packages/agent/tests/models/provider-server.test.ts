import { EventReader } from "@tenon/internal/event-stream";
import { isJsonObject, readJson } from "@tenon/internal/json";
import { describe, expect, test } from "vitest";
import type { ModelMessage } from "../../src/models/model-port.js";
import { collect, conversation, modelOn } from "../support/models/model-server.js";
import { SIGNATURE } from "../support/models/messages-format.js";
import { startProviderServer } from "../support/models/provider-server.js";
import type { Reply } from "../support/models/reply.js";

const reply: Reply = {
  think: ["hm", "…"],
  text: ["Let me", " see"],
  calls: [
    { id: "c1", name: "find", arguments: ['{"what":', '"cats"}'] },
    { id: "c2", name: "look", arguments: ["{}"] },
  ],
  usage: { input: 30, output: 12, reasoning: 4, cached: 5 },
};

/** Sends a request and returns the data of the events. */
async function send(url: string, headers: Record<string, string>, body: object) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "test-1", stream: true, ...body }),
  });
  const reader = new EventReader(100_000);
  const events = [...reader.feed(new Uint8Array(await response.arrayBuffer())), ...reader.finish()];
  return {
    status: response.status,
    events: events.map(({ data = "" }) => readJson(data)).filter(isJsonObject),
  };
}

describe("OpenAI's Chat Completions format", () => {
  const call = { id: "c1", name: "find", arguments: "{}" };
  const question: ModelMessage = { role: "user", content: "Cats?" };

  test("works with createOpenAiModel", async () => {
    const server = await startProviderServer([reply]);
    const model = modelOn(server.baseUrl, { apiKey: "sk-1" });
    expect(await collect(model(conversation([question]), new AbortController().signal))).toEqual({
      pieces: [
        { think: "hm" },
        { think: "…" },
        "Let me",
        " see",
        { call: { index: 0, id: "c1", name: "find" } },
        { call: { index: 0, arguments: '{"what":' } },
        { call: { index: 0, arguments: '"cats"}' } },
        { call: { index: 1, id: "c2", name: "look" } },
        { call: { index: 1, arguments: "{}" } },
        {
          finish: {
            reason: "tool-calls",
            usage: { inputTokens: 30, outputTokens: 12, reasoningTokens: 4, cachedInputTokens: 5 },
          },
        },
      ],
      error: undefined,
    });
  });

  test.each([
    ["length", "length"],
    ["content-filter", "content-filter"],
    ["stop", "stop"],
  ] as const)("ends with %s", async (reason, wanted) => {
    const server = await startProviderServer([{ text: ["Hi"], reason }]);
    const model = modelOn(server.baseUrl, { apiKey: "sk-1" });
    const { pieces } = await collect(model(conversation([question]), new AbortController().signal));
    expect(pieces.at(-1)).toEqual({ finish: { reason: wanted, usage: expect.anything() } });
  });

  test("accepts the results of native calls, also of interrupted ones", async () => {
    const server = await startProviderServer([{ text: ["ok"] }]);
    const model = modelOn(server.baseUrl, { apiKey: "sk-1" });
    const messages: readonly ModelMessage[] = [
      question,
      { role: "assistant", content: "", calls: [call] },
      question,
    ];
    const { error } = await collect(model(conversation(messages), new AbortController().signal));
    expect(error).toBeUndefined();
  });

  test("rejects what the API rejects", async () => {
    const server = await startProviderServer([reply]);
    const url = `${server.baseUrl}/chat/completions`;
    const open = { role: "assistant", tool_calls: [{ id: "c1" }] };
    expect((await send(url, {}, { messages: [] })).status).toBe(401);
    expect((await send(url, { authorization: "Bearer x" }, { messages: [open] })).status).toBe(400);
    expect((await send(`${server.baseUrl}/other`, { authorization: "Bearer x" }, {})).status).toBe(404);
  });
});

describe("OpenAI's Responses format", () => {
  test("numbers the events, and repeats the output at the end", async () => {
    const server = await startProviderServer([reply]);
    const { events } = await send(
      `${server.baseUrl}/responses`,
      { authorization: "Bearer x" },
      { input: [] },
    );
    expect(events.map((event) => event["sequence_number"])).toEqual(events.map((_, index) => index));
    const deltas = (type: string) =>
      events.filter((event) => event["type"] === type).map((event) => event["delta"]);
    expect(deltas("response.output_text.delta")).toEqual(reply.text);
    expect(deltas("response.reasoning_summary_text.delta")).toEqual(reply.think);
    expect(deltas("response.function_call_arguments.delta")).toEqual(['{"what":', '"cats"}', "{}"]);
    expect(events.at(-1)).toMatchObject({
      type: "response.completed",
      response: {
        status: "completed",
        output: [
          { type: "reasoning" },
          { type: "message" },
          { type: "function_call", call_id: "c1", arguments: '{"what":"cats"}' },
          { type: "function_call", call_id: "c2" },
        ],
        usage: { input_tokens: 30, output_tokens: 12 },
      },
    });
  });

  test("reports a response that was cut off", async () => {
    const server = await startProviderServer([{ text: ["Hi"], reason: "length" }]);
    const { events } = await send(
      `${server.baseUrl}/responses`,
      { authorization: "Bearer x" },
      { input: [] },
    );
    expect(events.at(-1)).toMatchObject({
      type: "response.incomplete",
      response: { incomplete_details: { reason: "max_output_tokens" } },
    });
  });
});

describe("Anthropic's Messages format", () => {
  const headers = { "x-api-key": "k", "anthropic-version": "2023-06-01" };

  test("sends blocks that start, grow, and stop in order", async () => {
    const server = await startProviderServer([reply]);
    const { events } = await send(`${server.baseUrl}/messages`, headers, { messages: [] });
    const starts = events.filter(({ type }) => type === "content_block_start");
    expect(starts.map(({ index, content_block }) => [index, content_block])).toEqual([
      [0, { type: "thinking", thinking: "", signature: "" }],
      [1, { type: "text", text: "" }],
      [2, { type: "tool_use", id: "c1", name: "find", input: {} }],
      [3, { type: "tool_use", id: "c2", name: "look", input: {} }],
    ]);
    expect(events.filter(({ type }) => type === "content_block_stop").map(({ index }) => index)).toEqual([
      0, 1, 2, 3,
    ]);
    expect(events.map(({ delta }) => delta)).toContainEqual({
      type: "signature_delta",
      signature: SIGNATURE,
    });
    expect(events.slice(-2)).toEqual([
      {
        type: "message_delta",
        delta: { stop_reason: "tool_use", stop_sequence: null },
        usage: { output_tokens: 12 },
      },
      { type: "message_stop" },
    ]);
  });

  test("ends with an error, and rejects what the API rejects", async () => {
    const error = { type: "overloaded_error", message: "Overloaded" };
    const server = await startProviderServer([{ text: ["Hi"], error }]);
    const url = `${server.baseUrl}/messages`;
    expect((await send(url, headers, { messages: [] })).events.at(-1)).toEqual({ type: "error", error });
    const open = { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "find", input: {} }] };
    expect((await send(url, headers, { messages: [open] })).status).toBe(400);
    expect((await send(url, {}, { messages: [] })).status).toBe(401);
  });
});
