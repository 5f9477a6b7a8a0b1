import { describe, expect, test } from "vitest";
import type { ModelConversation, ModelMessage } from "../../src/models/model-port.js";
import type { OpenAiOptions } from "../../src/models/openai-options.js";
import {
  chunk,
  collect,
  conversation,
  DONE,
  modelOn,
  startModelServer,
  stream,
} from "../support/models/model-server.js";

async function send(input: ModelConversation, options: Partial<OpenAiOptions> = {}) {
  const server = await startModelServer(stream(chunk({ content: "ok" }, "stop"), DONE));
  const { error } = await collect(modelOn(server.baseUrl, options)(input, new AbortController().signal));
  expect(error).toBeUndefined();
  return server.requests[0]?.body as {
    readonly messages: readonly unknown[];
    readonly [name: string]: unknown;
  };
}

const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
const imageUrl = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };

describe("images and files", () => {
  test.each<[string, ModelMessage, unknown]>([
    [
      "an image after the text",
      { role: "user", content: "What is this?", parts: [image] },
      [{ type: "text", text: "What is this?" }, imageUrl],
    ],
    ["an image without text", { role: "user", content: "", parts: [image] }, [imageUrl]],
    [
      "text and images in their order, if the parts contain text",
      {
        role: "user",
        content: "a b",
        parts: [{ type: "text", text: "a" }, image, { type: "text", text: "b" }],
      },
      [{ type: "text", text: "a" }, imageUrl, { type: "text", text: "b" }],
    ],
    ["parts that are only text", { role: "user", content: "x", parts: [{ type: "text", text: "a" }] }, "a"],
    [
      "an image that is called a file",
      { role: "user", content: "", parts: [{ ...image, type: "file" }] },
      [imageUrl],
    ],
    [
      "a PDF file",
      { role: "user", content: "", parts: [{ type: "file", mediaType: "application/pdf", data: "AAAA" }] },
      [{ type: "file", file: { filename: "file.pdf", file_data: "data:application/pdf;base64,AAAA" } }],
    ],
    [
      "a recording",
      { role: "user", content: "", parts: [{ type: "file", mediaType: "audio/mpeg", data: "AAAA" }] },
      [{ type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } }],
    ],
    [
      "a text file as text, in which a result cannot be forged",
      {
        role: "user",
        content: "Read",
        parts: [{ type: "file", mediaType: "text/plain", data: btoa("<tool_result>"), name: 'a"b.txt' }],
      },
      'Read\n\nFile "a\\"b.txt" (text/plain):\n&lt;tool_result>',
    ],
    [
      "a hostile media type",
      { role: "user", content: "", parts: [{ type: "file", mediaType: "a;b,c", data: "AAAA", name: "x" }] },
      [{ type: "file", file: { filename: "x", file_data: "data:application/octet-stream;base64,AAAA" } }],
    ],
  ])("%s", async (_title, message, content) => {
    for (const toolCalls of ["xml", "native"] as const) {
      const { messages } = await send(conversation([message]), { toolCalls });
      expect(messages).toEqual([{ role: "user", content }]);
    }
  });

  const results: readonly ModelMessage[] = [
    { role: "assistant", content: "", calls: [{ id: "c1", name: "draw", arguments: "{}" }] },
    { role: "tool", toolName: "draw", callId: "c1", content: "Done", parts: [image] },
  ];

  test("files of a native result follow it in a user message", async () => {
    const { messages } = await send(conversation([...results, { role: "user", content: "And?" }]));
    expect(messages.slice(1)).toEqual([
      { role: "tool", tool_call_id: "c1", content: "Done" },
      {
        role: "user",
        content: [
          { type: "text", text: "Files from the result of draw:" },
          imageUrl,
          { type: "text", text: "And?" },
        ],
      },
    ]);
  });

  test("files of a result in text follow its tag", async () => {
    const { messages } = await send(conversation(results), { toolCalls: "xml" });
    expect(messages[1]).toEqual({
      role: "user",
      content: [{ type: "text", text: '<tool_result name="draw">\nDone\n</tool_result>' }, imageUrl],
    });
  });
});

describe("schemas", () => {
  test("of tools are sent unchanged", async () => {
    const parameters = {
      type: "object",
      properties: { n: { type: "integer", minimum: 1, maximum: 100 }, kind: { enum: ["a", "b"] } },
      required: ["n"],
      "x-own": { kept: true },
    };
    const { tools } = await send(conversation(undefined, [{ name: "f", description: "d", parameters }]));
    expect(tools).toEqual([{ type: "function", function: { name: "f", description: "d", parameters } }]);
  });

  const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const closed = { ...city, additionalProperties: false };

  test.each<[string, Record<string, unknown>, boolean]>([
    ["strict if the schema allows it", closed, true],
    [
      "strict with nested objects",
      {
        ...closed,
        properties: { city: { type: "array", items: { $ref: "#/$defs/c" } } },
        $defs: { c: { anyOf: [closed, { type: "null" }] } },
      },
      true,
    ],
    ["not strict with additional properties", city, false],
    ["not strict with optional properties", { ...closed, required: [] }, false],
    ["not strict with nested optional properties", { ...closed, properties: { city } }, false],
    [
      "not strict with other keywords",
      { ...closed, properties: { city: { type: "string", format: "x" } } },
      false,
    ],
    ["not strict for arrays", { type: "array", items: closed }, false],
  ])("of responses are %s", async (_title, responseSchema, strict) => {
    const { response_format } = await send({ ...conversation(), responseSchema });
    expect(response_format).toEqual({
      type: "json_schema",
      json_schema: { name: "response", schema: responseSchema, strict },
    });
  });

  test("are missing from other requests", async () => {
    const body = await send(conversation());
    expect(body).not.toHaveProperty("response_format");
    expect(body).not.toHaveProperty("tools");
  });
});
