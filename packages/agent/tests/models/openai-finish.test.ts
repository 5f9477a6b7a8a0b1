import { describe, expect, test } from "vitest";
import type { ModelPiece } from "../../src/models/model-port.js";
import {
  type Behaviour,
  chunk,
  collect,
  conversation,
  createTestPorts,
  DONE,
  event,
  modelOn,
  startModelServer,
  stream,
} from "../support/models/model-server.js";

const never = new AbortController().signal;

async function run(behave: Behaviour, options: Parameters<typeof modelOn>[1] = {}, times = 1) {
  const server = await startModelServer(behave);
  const { ports } = createTestPorts();
  const model = modelOn(server.baseUrl, { ports, ...options });
  const results = [];
  for (let count = 0; count < times; count++) results.push(await collect(model(conversation(), never)));
  return {
    results,
    bodies: server.requests.map(({ body }) => body as { readonly stream_options?: unknown }),
  };
}

const finishOf = async (...events: readonly string[]): Promise<ModelPiece | undefined> => {
  const { results } = await run(stream(...events));
  expect(results[0]?.error).toBeUndefined();
  return results[0]?.pieces.at(-1);
};
const call = chunk({ tool_calls: [{ index: 0, id: "c1", function: { name: "find", arguments: "{" } }] });

describe("the finish reason", () => {
  test.each([
    ["stop", "stop"],
    ["end_turn", "stop"],
    ["length", "length"],
    ["max_tokens", "length"],
    ["model_length", "length"],
    ["tool_calls", "tool-calls"],
    ["function_call", "tool-calls"],
    ["content_filter", "content-filter"],
    ["something_new", "other"],
  ])('"%s" becomes "%s"', async (told, reason) => {
    expect(await finishOf(chunk({ content: "Hi" }, told), DONE)).toEqual({ finish: { reason } });
  });

  test('is "tool-calls" after calls, even if the server says "stop"', async () => {
    expect(await finishOf(call, chunk({}, "stop"), DONE)).toEqual({ finish: { reason: "tool-calls" } });
  });

  test('stays "length" after calls, because their arguments may be cut off', async () => {
    expect(await finishOf(call, chunk({}, "length"), DONE)).toEqual({ finish: { reason: "length" } });
  });

  test("is missing if the server sends none", async () => {
    expect(await finishOf(chunk({ content: "Hi" }), DONE)).toBe("Hi");
  });
});

describe("usage", () => {
  const stop = chunk({ content: "Hi" }, "stop");
  const counts = { prompt_tokens: 10, completion_tokens: 20 };

  test.each<[string, readonly string[], object]>([
    [
      "after the finish reason",
      [
        stop,
        event({
          choices: [],
          usage: {
            ...counts,
            prompt_tokens_details: { cached_tokens: 4 },
            completion_tokens_details: { reasoning_tokens: 5 },
          },
        }),
      ],
      { inputTokens: 10, outputTokens: 20, reasoningTokens: 5, cachedInputTokens: 4 },
    ],
    [
      "in every chunk, where the last one counts",
      [
        event({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 1 } }),
        stop,
        event({ usage: counts }),
      ],
      { inputTokens: 10, outputTokens: 20 },
    ],
    [
      "with null in other chunks",
      [
        event({ usage: null, choices: [] }),
        stop,
        event({ choices: [], usage: counts }),
        event({ usage: null }),
      ],
      { inputTokens: 10, outputTokens: 20 },
    ],
    [
      "of Groq",
      [stop, event({ choices: [], x_groq: { usage: counts } })],
      { inputTokens: 10, outputTokens: 20 },
    ],
    [
      "of DeepSeek",
      [stop, event({ choices: [], usage: { ...counts, prompt_cache_hit_tokens: 3 } })],
      { inputTokens: 10, outputTokens: 20, cachedInputTokens: 3 },
    ],
    [
      "with hostile values",
      [stop, event({ choices: [], usage: { prompt_tokens: -1, completion_tokens: 7, total_tokens: "x" } })],
      { outputTokens: 7 },
    ],
  ])("%s is reported", async (_title, events, usage) => {
    expect(await finishOf(...events, DONE)).toEqual({ finish: { reason: "stop", usage } });
  });

  test("without usable values is omitted", async () => {
    expect(await finishOf(stop, event({ choices: [], usage: { prompt_tokens: "9" } }), DONE)).toEqual({
      finish: { reason: "stop" },
    });
  });

  test("of a server that does not stream is reported", async () => {
    const body = { choices: [{ message: { content: "Hi" }, finish_reason: "length" }], usage: counts };
    const { results } = await run(
      (response) =>
        void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body)),
    );
    expect(results[0]?.pieces).toEqual([
      "Hi",
      { finish: { reason: "length", usage: { inputTokens: 10, outputTokens: 20 } } },
    ]);
  });
});

describe("requesting usage", () => {
  const good = stream(chunk({ content: "Hi" }, "stop"), DONE);
  const asked = { include_usage: true };

  test.each([
    [400, '{"error":{"message":"Unrecognized request argument supplied: stream_options"}}'],
    [422, '{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"]}]}'],
    [400, ""],
  ])("is left out for a server that rejects it with %i %s", async (status, text) => {
    const server = await startModelServer((response, count, { body }) => {
      if ("stream_options" in (body as object)) response.writeHead(status).end(text);
      else good(response, count);
    });
    const model = modelOn(server.baseUrl);
    for (let count = 0; count < 3; count++) {
      expect(await collect(model(conversation(), never))).toEqual({
        pieces: ["Hi", { finish: { reason: "stop" } }],
        error: undefined,
      });
    }
    // Only the first conversation needs two requests.
    const options = server.requests.map(({ body }) => (body as { stream_options?: unknown }).stream_options);
    expect(options).toEqual([asked, undefined, undefined, undefined]);
  });

  test("is not the reason for a rejection once the server has accepted it", async () => {
    const { results, bodies } = await run(
      (response, count) => {
        if (count === 1) good(response, count);
        else response.writeHead(400).end("bad");
      },
      {},
      2,
    );
    expect(results[1]?.error).toMatchObject({
      message: "The model server rejected the request (status 400).",
    });
    expect(bodies.map((body) => body.stream_options)).toEqual([asked, asked]);
  });

  test.each([401, 404, 500])("is kept after status %i", async (status) => {
    const { bodies } = await run((response) => void response.writeHead(status).end(), { maxAttempts: 1 });
    expect(bodies.map((body) => body.stream_options)).toEqual([asked]);
  });

  test("is left to the `body` option if it contains the field", async () => {
    const body = { stream_options: { include_usage: false } };
    const { bodies } = await run((response) => void response.writeHead(400).end(), { body });
    expect(bodies.map((one) => one.stream_options)).toEqual([{ include_usage: false }]);
  });
});
