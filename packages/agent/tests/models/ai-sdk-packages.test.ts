import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer } from "tenon";
import { fromMcpServer } from "../../src/adapters/from-mcp-server.js";
import { toModelTools } from "../../src/conversation/context/model-tools.js";
import { isAiSdkModel } from "../../src/models/ai-sdk/ai-sdk-model.js";
import { fromAiSdk, type FromAiSdkOptions } from "../../src/models/ai-sdk/from-ai-sdk.js";
import { ModelError, type ModelFinish, type ModelMessage } from "../../src/models/model-port.js";
import { collect, conversation, createTestPorts, IDLE_MS } from "../support/models/model-server.js";
import { API_KEY, type Format, FORMATS, PACKAGES } from "../support/models/ai-sdk-packages.js";
import { SIGNATURE } from "../support/models/messages-format.js";
import { type Replies, startProviderServer } from "../support/models/provider-server.js";
import type { Reply } from "../support/models/reply.js";

const NODE_MAJOR = Number(process.versions.node.split(".")[0]);
const THINKING = { anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } } };
const never = new AbortController().signal;
const question: ModelMessage = { role: "user", content: "Cats?" };
const reply: Reply = {
  think: ["hm", "…"],
  text: ["Let me", " see"],
  calls: [
    { id: "c1", name: "find", arguments: ['{"what":', '"cats"}'] },
    { id: "c2", name: "look", arguments: ["{}"] },
  ],
  usage: { input: 30, output: 12, reasoning: 4, cached: 5 },
};
/** Conversation after the reply and the results of its calls. */
const results = (finish: ModelFinish | undefined): readonly ModelMessage[] => [
  question,
  {
    role: "assistant",
    content: "Let me see",
    calls: [
      { id: "c1", name: "find", arguments: '{"what":"cats"}' },
      { id: "c2", name: "look", arguments: "{}" },
    ],
    metadata: finish?.metadata,
  },
  { role: "tool", toolName: "find", callId: "c1", content: "3" },
  { role: "tool", toolName: "look", callId: "c2", content: "4" },
];

const REASONS = ["stop", "length", "content-filter"] as const;

const SCHEMA = {
  type: "object",
  properties: { a: { type: "integer" } },
  required: ["a"],
  additionalProperties: false,
};

const CSV = 'File "a.csv" (text/csv):\na,b';

/** Requests with an image, a PDF file, a text file, and the schema of the response. */
const CONTENT: Readonly<Record<Format, object>> = {
  chat: {
    stream: true,
    messages: [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
          { type: "text", text: CSV },
        ],
      },
    ],
    response_format: { type: "json_schema", json_schema: { schema: SCHEMA } },
  },
  responses: {
    stream: true,
    input: [
      { role: "developer", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "input_text", text: "What is this?" },
          { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" },
          { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
          { type: "input_text", text: CSV },
        ],
      },
    ],
    text: { format: { type: "json_schema", schema: SCHEMA } },
  },
  messages: {
    stream: true,
    system: [{ type: "text", text: "Be brief." }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
          { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } },
          { type: "text", text: CSV },
        ],
      },
    ],
    output_config: { format: { type: "json_schema", schema: SCHEMA } },
  },
};

/** Requests with the results of two calls. */
const RESULTS: Readonly<Record<Format, object>> = {
  chat: {
    messages: [
      { role: "user", content: "Cats?" },
      {
        role: "assistant",
        content: "Let me see",
        tool_calls: [
          { id: "c1", type: "function", function: { name: "find", arguments: '{"what":"cats"}' } },
          { id: "c2", type: "function", function: { name: "look", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "3" },
      { role: "tool", tool_call_id: "c2", content: "4" },
    ],
  },
  responses: {
    input: [
      { role: "user", content: [{ type: "input_text", text: "Cats?" }] },
      { type: "item_reference", id: "rs_1" },
      { type: "item_reference", id: "msg_1" },
      { type: "function_call", call_id: "c1", name: "find", arguments: '{"what":"cats"}' },
      { type: "function_call", call_id: "c2", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "3" },
      { type: "function_call_output", call_id: "c2", output: "4" },
    ],
  },
  messages: {
    messages: [
      { role: "user", content: [{ type: "text", text: "Cats?" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm…", signature: SIGNATURE },
          { type: "text", text: "Let me see" },
          { type: "tool_use", id: "c1", name: "find", input: { what: "cats" } },
          { type: "tool_use", id: "c2", name: "look", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "3" },
          { type: "tool_result", tool_use_id: "c2", content: "4" },
        ],
      },
    ],
  },
};

const OPENAI_TOO_LONG = {
  error: {
    message: "This model's maximum context length is 128000 tokens.",
    type: "invalid_request_error",
    param: "messages",
    code: "context_length_exceeded",
  },
};

/** Error responses to a conversation that is too long. */
const TOO_LONG: Readonly<Record<Format, object>> = {
  chat: OPENAI_TOO_LONG,
  responses: OPENAI_TOO_LONG,
  messages: {
    type: "error",
    error: { type: "invalid_request_error", message: "prompt is too long: 201000 tokens > 200000 maximum" },
  },
};

for (const { specificationVersion, minNode, createModel } of PACKAGES) {
  const title = `provider packages of the AI SDK with models of version ${specificationVersion}`;

  /** Starts a server with these replies, and creates a model for it. */
  const start = async (format: Format, replies: Replies, options: FromAiSdkOptions = {}) => {
    const server = await startProviderServer(replies);
    const model = await createModel(format, server.baseUrl);
    const { ports, waited } = createTestPorts();
    return { server, waited, port: fromAiSdk(model, { idleTimeoutMs: IDLE_MS, ports, ...options }) };
  };

  if (NODE_MAJOR < minNode) {
    test.skip(`${title} need Node.js ${minNode}`);
    continue;
  }

  describe(title, () => {
    test.each(FORMATS)("%s: models are recognized by their version", async (format) => {
      const model = await createModel(format, "http://127.0.0.1:1");
      expect(model.specificationVersion).toBe(specificationVersion);
      expect(isAiSdkModel(model)).toBe(true);
    });

    test.each(FORMATS)("%s: streams thinking, text, parallel calls, and usage", async (format) => {
      const { port } = await start(format, [reply], { callOptions: { providerOptions: THINKING } });
      const { pieces, error } = await collect(port(conversation([question]), never));
      expect(error).toBeUndefined();
      expect(pieces).toEqual([
        // OpenAI's Chat Completions format has no reasoning.
        ...(format === "chat" ? [] : [{ think: "hm" }, { think: "…" }]),
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
            usage: {
              inputTokens: 30,
              outputTokens: 12,
              cachedInputTokens: 5,
              // Anthropic does not count reasoning separately.
              ...(format === "messages" ? {} : { reasoningTokens: 4 }),
            },
            ...(format === "chat" ? {} : { metadata: expect.any(Object) }),
          },
        },
      ]);
    });

    test.each(FORMATS.flatMap((format) => REASONS.map((reason) => [format, reason] as const)))(
      "%s: reports the finish reason %s",
      async (format, reason) => {
        const { port } = await start(format, [{ text: ["Hi"], reason }]);
        const { pieces } = await collect(port(conversation(), never));
        expect(pieces).toEqual(["Hi", { finish: { reason, usage: expect.any(Object) } }]);
      },
    );

    test.each(FORMATS)("%s: sends images, files, and the schema of the response", async (format) => {
      const { port, server } = await start(format, [{ text: ['{"a":', "1}"] }]);
      const messages: readonly ModelMessage[] = [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: "What is this?",
          parts: [
            { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" },
            { type: "file", mediaType: "application/pdf", data: "JVBERi0=", name: "a.pdf" },
            { type: "file", mediaType: "text/csv", data: "YSxi", name: "a.csv" },
          ],
        },
      ];
      const { pieces } = await collect(port({ ...conversation(messages), responseSchema: SCHEMA }, never));
      expect(pieces.slice(0, -1)).toEqual(['{"a":', "1}"]);
      expect(server.requests[0]?.body).toMatchObject(CONTENT[format]);
    });

    test.each(FORMATS)("%s: sends the original schema of an MCP tool", async (format) => {
      const mcp = defineServer({ name: "tools", version: "1.0.0" }).tool("find", {
        description: "Finds",
        input: z.object({
          limit: z.number().int().min(1).max(100),
          color: z.enum(["red", "blue"]).optional(),
        }),
        handler: () => "",
      });
      const { tools } = toModelTools(await fromMcpServer(mcp));
      const { port, server } = await start(format, [{ text: ["ok"] }]);
      await collect(port(conversation([question], tools), never));
      const schema = expect.objectContaining({
        type: "object",
        properties: {
          limit: { type: "integer", minimum: 1, maximum: 100 },
          color: { type: "string", enum: ["red", "blue"] },
        },
        required: ["limit"],
      }) as unknown;
      const tool = { chat: { function: { parameters: schema } }, responses: { parameters: schema } };
      expect(server.requests[0]?.body).toMatchObject({
        tools: [format === "messages" ? { input_schema: schema } : tool[format]],
      });
    });

    test.each(FORMATS)("%s: sends the provider's data back with results, after a restart", async (format) => {
      const options = { callOptions: { providerOptions: THINKING } };
      const first = await start(format, [reply], options);
      const { pieces } = await collect(first.port(conversation([question]), never));
      const last = pieces.at(-1);
      const finish = typeof last === "object" && "finish" in last ? last.finish : undefined;
      const stored = JSON.parse(JSON.stringify(finish)) as ModelFinish;
      // Another process has a different model object, and the data from the log.
      const second = await start(format, [{ text: ["7"] }], options);
      const { error } = await collect(second.port(conversation(results(stored)), never));
      expect(error).toBeUndefined();
      expect(second.server.requests[0]?.body).toMatchObject(RESULTS[format]);
    });

    test("responses: sends encrypted reasoning back if the provider does not store it", async () => {
      const options = { callOptions: { providerOptions: { openai: { store: false } } } };
      const { port, server } = await start(
        "responses",
        [{ ...reply, encrypted: "ZW5j" }, { text: [] }],
        options,
      );
      const { pieces } = await collect(port(conversation([question]), never));
      const last = pieces.at(-1);
      await collect(
        port(
          conversation(results(typeof last === "object" && "finish" in last ? last.finish : undefined)),
          never,
        ),
      );
      expect(server.requests[0]?.body).toMatchObject({
        store: false,
        include: ["reasoning.encrypted_content"],
      });
      expect(server.requests[1]?.body).toMatchObject({
        input: expect.arrayContaining([
          expect.objectContaining({ type: "reasoning", id: "rs_1", encrypted_content: "ZW5j" }),
        ]),
      });
    });

    test.each(FORMATS)("%s: retries after status 429, with the delay of the server", async (format) => {
      const busy = { status: 429, headers: { "retry-after": "2" }, body: { error: { message: "Slow" } } };
      const { port, server, waited } = await start(format, [busy, { text: ["Hi"] }]);
      expect((await collect(port(conversation(), never))).pieces[0]).toBe("Hi");
      expect(server.requests).toHaveLength(2);
      expect(waited).toEqual([2_000]);
    });

    test.each(FORMATS)("%s: reports status 429 after the last attempt", async (format) => {
      const busy = { status: 429, body: { error: { type: "rate_limit_error", message: "Slow" } } };
      const { port, server } = await start(format, [busy], { maxAttempts: 3 });
      const { error } = await collect(port(conversation(), never));
      expect(error).toMatchObject({
        message: "The rate limit of the model server was reached (status 429).",
        kind: "rate-limit",
        isTransient: true,
      });
      expect(server.requests).toHaveLength(3);
    });

    test.each(FORMATS)("%s: reports rejected credentials", async (format) => {
      const body = { error: { type: "authentication_error", message: `Incorrect API key: ${API_KEY}` } };
      const { port, server } = await start(format, [{ status: 401, body }]);
      const { error } = await collect(port(conversation(), never));
      expect(error).toBeInstanceOf(ModelError);
      expect(error).toMatchObject({
        message: "The model server rejected the API key (status 401).",
        kind: "authentication",
        isTransient: false,
      });
      expect(inspect(error, { depth: 10 })).not.toContain(API_KEY);
      expect(server.requests).toHaveLength(1);
    });

    test.each(FORMATS)("%s: reports a conversation that is too long", async (format) => {
      const { port, server } = await start(format, [{ status: 400, body: TOO_LONG[format] }]);
      const { error } = await collect(port(conversation(), never));
      expect(error).toMatchObject({
        message: expect.stringMatching(
          /^The conversation is too long for the model \(status 400\)\./,
        ) as string,
        kind: "context-length",
        isTransient: false,
      });
      expect(server.requests).toHaveLength(1);
    });

    test.each(FORMATS)("%s: reports an error in the middle of a response", async (format) => {
      const error = { type: "overloaded_error", message: "Overloaded" };
      const { port, server } = await start(format, [{ text: ["Hi"], error }]);
      const seen = await collect(port(conversation(), never));
      expect(seen.pieces).toEqual(["Hi"]);
      expect(seen.error).toBeInstanceOf(ModelError);
      expect(seen.error).toMatchObject({ kind: "unavailable", isTransient: true });
      expect(server.requests).toHaveLength(1);
    });

    test.each(FORMATS)("%s: reports a connection that breaks", async (format) => {
      const { port } = await start(format, [{ text: ["Hi"], ending: "break" }]);
      const { pieces, error } = await collect(port(conversation(), never));
      expect(pieces).toEqual(["Hi"]);
      expect(error).toMatchObject({
        message: "The connection to the model server was lost.",
        kind: "unavailable",
        isTransient: true,
      });
    });

    test.each(FORMATS)("%s: an abort stops the response and closes the connection", async (format) => {
      const { port, server } = await start(format, [{ text: ["Hi"], ending: "silence" }]);
      const controller = new AbortController();
      const seen: unknown[] = [];
      const read = async () => {
        for await (const piece of port(conversation(), controller.signal)) {
          seen.push(piece);
          controller.abort(new Error("stop it"));
        }
      };
      await expect(read()).rejects.toThrow("stop it");
      expect(seen).toEqual(["Hi"]);
      await server.closed();
    });

    test.each(FORMATS)("%s: a missing server is reported", async (format) => {
      const model = await createModel(format, "http://127.0.0.1:1/v1");
      const port = fromAiSdk(model, { maxAttempts: 2, ports: createTestPorts().ports });
      const { error } = await collect(port(conversation(), never));
      expect(error).toMatchObject({
        message:
          "Could not reach the model server. Check the URL of the provider, and make sure that the server is running.",
        kind: "unavailable",
        isTransient: true,
      });
    });
  });
}
