import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { createTool } from "../../src/grouped/index.js";
import {
  audio,
  type ContentBlock,
  defineServer,
  embedded,
  image,
  type LogEntry,
  type Middleware,
  resourceLink,
  type Server,
} from "../../src/index.js";
import { REVISIONS } from "../../src/protocol/index.js";
import { createClient } from "../../src/testing/index.js";
import { toNodeHandler } from "../../src/transport/node/index.js";

const INFO = { name: "a", version: "1" };
const BYTES = new Uint8Array([137, 80, 78, 71]);
const through: Middleware = async (_operation, next) => next();

describe("first-run-a3: a tool result that JSON cannot represent is logged with its fix, not sent as {}", () => {
  test.each<[string, unknown, string]>([
    ["a Map", new Map([["a", 1]]), "Return `Object.fromEntries(map)` or `[...map]`."],
    ["a Set", new Set([1]), "Return `[...set]`."],
    ["an Error", new TypeError("no disk"), "Throw it, or return `errorResult(message)`."],
    [
      "a Uint8Array",
      BYTES,
      "Return `image(bytes, mimeType)`, `audio(bytes, mimeType)`, or `embedded({ uri, bytes })`.",
    ],
    [
      "a Uint8Array",
      Buffer.from("x"),
      "Return `image(bytes, mimeType)`, `audio(bytes, mimeType)`, or `embedded({ uri, bytes })`.",
    ],
    [
      "a Float32Array",
      new Float32Array(1),
      "Return `image(bytes, mimeType)`, `audio(bytes, mimeType)`, or `embedded({ uri, bytes })`.",
    ],
    [
      "an ArrayBuffer",
      new ArrayBuffer(1),
      "Return `image(bytes, mimeType)`, `audio(bytes, mimeType)`, or `embedded({ uri, bytes })`.",
    ],
    ["a Response", new Response("x"), "Return `await response.text()` or `await response.json()`."],
    ["a function", () => 1, "Return text, content, or data."],
    [
      "a Generator",
      (function* numbers() {
        yield 1;
      })(),
      "Return `[...values]`, or use an async generator to stream text.",
    ],
  ])("%s", async (kind, value, fix) => {
    const entries: LogEntry[] = [];
    const server = defineServer({ ...INFO, log: (entry) => entries.push(entry) })
      .tool("t", { handler: () => value as object })
      .build();
    const result = await (await createClient(server)).callTool("t", {});
    expect(result).toMatchObject({ isError: true, content: [{ type: "text", text: "Tool t failed" }] });
    expect(entries.filter(({ level }) => level === "error")).toMatchObject([
      {
        event: "output-invalid",
        name: "t",
        error: {
          message: `Tool "t": the handler returned ${kind}, which JSON cannot represent. ${fix}`,
          ...(value instanceof Error ? { cause: value } : {}),
        },
      },
    ]);
  });

  test("data that JSON can represent is still sent", async () => {
    class Point {
      constructor(
        readonly x: number,
        readonly y: number,
      ) {}
    }
    const server = defineServer(INFO)
      .tool("point", { handler: () => new Point(1, 2) })
      .tool("date", { handler: () => new Date(0) })
      .tool("bare", { handler: () => Object.assign(Object.create(null) as object, { a: 1 }) })
      .build();
    const client = await createClient(server);
    const textOf = async (name: "point" | "date" | "bare") =>
      (await client.callTool(name, {})).content.map((block) => (block.type === "text" ? block.text : ""));
    expect(await textOf("point")).toEqual(['{"x":1,"y":2}']);
    expect(await textOf("date")).toEqual(['"1970-01-01T00:00:00.000Z"']);
    expect(await textOf("bare")).toEqual(['{"a":1}']);
  });

  test("an async generator as a resource or prompt is named", async () => {
    const entries: LogEntry[] = [];
    const stream = async function* text() {
      yield "a";
    };
    const server = defineServer({ ...INFO, log: (entry) => entries.push(entry) })
      .resource("r", { uri: "a://r", handler: stream as never })
      .prompt("p", { handler: stream as never })
      .build();
    const client = await createClient(server);
    await expect(client.request("resources/read", { uri: "a://r" })).rejects.toThrow("Internal error");
    await expect(client.request("prompts/get", { name: "p" })).rejects.toThrow("Internal error");
    const errors = entries.flatMap((entry) => ("error" in entry ? [(entry.error as Error).message] : []));
    expect(errors).toEqual([
      'Resource "a://r": the handler must return a string, a Uint8Array, or resource contents; got an AsyncGenerator.',
      'Prompt "p": the handler must return a string, an array of messages, or a prompt result; got an AsyncGenerator.',
    ]);
  });
});

describe("first-run-a5: media helpers", () => {
  test.each<[string, ContentBlock, ContentBlock]>([
    ["image", image(BYTES, "image/png"), { type: "image", data: "iVBORw==", mimeType: "image/png" }],
    [
      "image with base64 and annotations",
      image("iVBORw==", "image/png", { annotations: { audience: ["user"] } }),
      { type: "image", data: "iVBORw==", mimeType: "image/png", annotations: { audience: ["user"] } },
    ],
    ["audio", audio(BYTES.buffer, "audio/wav"), { type: "audio", data: "iVBORw==", mimeType: "audio/wav" }],
    [
      "resourceLink",
      resourceLink({ uri: "notes://1", name: "First", size: 4 }),
      { type: "resource_link", uri: "notes://1", name: "First", size: 4 },
    ],
    [
      "embedded text",
      embedded({ uri: "notes://1", text: "" }),
      { type: "resource", resource: { uri: "notes://1", text: "" } },
    ],
    [
      "embedded bytes",
      embedded({ uri: "notes://1", bytes: BYTES, mimeType: "image/png", _meta: { a: 1 } }),
      {
        type: "resource",
        resource: { uri: "notes://1", mimeType: "image/png", blob: "iVBORw==" },
        _meta: { a: 1 },
      },
    ],
  ])("%s", async (_name, block, expected) => {
    expect(block).toEqual(expected);
    const server = defineServer(INFO)
      .tool("t", { handler: () => block })
      .build();
    const { content } = await (await createClient(server, { revision: "2025-11-25" })).callTool("t", {});
    expect(content).toEqual([expected]);
  });

  test.each<[() => unknown, string]>([
    [
      () => image([1, 2] as never, "image/png"),
      "image: the data must be a Uint8Array, an ArrayBuffer, or base64 text; got an array.",
    ],
    [
      () => audio("not base64!", "audio/wav"),
      "audio: the data must be a Uint8Array, an ArrayBuffer, or base64 text; got text that is not base64.",
    ],
    [() => image(BYTES, "png"), 'image: `mimeType` must be a MIME type such as "image/png"; got "png".'],
    [
      () => image(BYTES, undefined as never),
      'image: `mimeType` must be a MIME type such as "image/png"; got undefined.',
    ],
    [
      () => resourceLink({ uri: "a://b" } as never),
      "resourceLink: `name` must be a non-empty string; got undefined.",
    ],
    [() => embedded({ uri: "a://b" } as never), "embedded: `text` must be a string; got undefined."],
  ])("rejects invalid values: %s", (make, message) => {
    expect(make).toThrow(new TypeError(message));
  });
});

describe("first-run-a5: an async iterable", () => {
  const picture = image(BYTES, "image/png");
  async function* pieces() {
    yield "Hel";
    yield "lo";
    yield picture;
    yield { type: "text", text: "!" } as const;
    return "bye";
  }
  const joined = [
    { type: "text", text: "Hello" },
    picture,
    { type: "text", text: "!" },
    { type: "text", text: "bye" },
  ];

  describe.each(REVISIONS)("in revision %s", (revision) => {
    test.each<[string, () => { build(): Server }]>([
      ["from a tool", () => defineServer(INFO).tool("t", { handler: pieces })],
      ["from a tool, as a promise", () => defineServer(INFO).tool("t", { handler: async () => pieces() })],
      ["from a tool behind middleware", () => defineServer(INFO).use(through).tool("t", { handler: pieces })],
      [
        "from an action",
        () => defineServer(INFO).tools(createTool("t").action({ name: "run", handler: pieces })),
      ],
      [
        "from an action behind middleware",
        () =>
          defineServer(INFO).tools(
            createTool("t")
              .use(async (_ctx, _args, next) => next())
              .action({ name: "run", handler: pieces }),
          ),
      ],
    ])("is joined, and sent as progress if the client asks for it: %s", async (_name, define) => {
      const client = await createClient(define().build(), { revision });
      const args = { action: "run" };
      expect((await client.callTool("t", args)).content).toEqual(joined);
      expect(client.notifications).toEqual([]);
      const steps: unknown[] = [];
      const { content } = await client.callTool("t", args, { onProgress: (step) => steps.push(step) });
      expect(content).toEqual(joined);
      const texts = ["Hel", "lo", undefined, "!", "bye"];
      expect(steps).toMatchObject(
        texts.map((message, index) =>
          message === undefined || revision === "2024-11-05"
            ? { progress: index + 1 }
            : { progress: index + 1, message },
        ),
      );
    });
  });

  test("reaches the official client over HTTP before the call ends", async () => {
    let release: (() => void) | undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const server = defineServer(INFO)
      .tool("t", {
        async *handler() {
          yield "first";
          await released;
          yield " second";
        },
      })
      .build();
    const http = createServer(toNodeHandler(server));
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    onTestFinished(() => {
      http.closeAllConnections();
      http.close();
    });
    const client = new Client(INFO);
    const { port } = http.address() as AddressInfo;
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
    onTestFinished(() => client.close());
    const seen: (string | undefined)[] = [];
    const onprogress = ({ message }: { message?: string | undefined }) => {
      seen.push(message);
      release?.();
    };
    const result = await client.callTool({ name: "t", arguments: {} }, undefined, { onprogress });
    expect(result.content).toEqual([{ type: "text", text: "first second" }]);
    expect(seen).toEqual(["first", " second"]);
  });

  test("calls `return` on the iterator when the client cancels", async () => {
    const ended = vi.fn<() => void>();
    const controller = new AbortController();
    const server = defineServer(INFO)
      .tool("t", {
        async *handler() {
          try {
            for (;;) {
              yield "tick";
              await new Promise((resolve) => setImmediate(resolve));
            }
          } finally {
            ended();
          }
        },
      })
      .build();
    const client = await createClient(server);
    const call = client.callTool(
      "t",
      {},
      { signal: controller.signal, onProgress: () => controller.abort() },
    );
    await expect(call).rejects.toThrow();
    await expect.poll(() => ended.mock.calls.length, { timeout: 20_000 }).toBe(1);
  });

  test("calls `return` on an iterator that waits, and stops reading it", async () => {
    const next = vi.fn<() => Promise<IteratorResult<string>>>();
    let finish: ((result: IteratorResult<string>) => void) | undefined;
    next.mockImplementation(
      async () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    );
    const stop = vi.fn<() => Promise<IteratorResult<string>>>(async () => {
      finish?.({ done: true, value: undefined });
      throw new Error("ignored");
    });
    const server = defineServer({ ...INFO, deadlineMs: 20 })
      .tool("t", { handler: () => ({ [Symbol.asyncIterator]: () => ({ next, return: stop }) }) })
      .build();
    const result = await (await createClient(server)).callTool("t", {});
    expect(result).toMatchObject({ isError: true, content: [{ text: 'Tool "t" timed out after 20 ms.' }] });
    await expect.poll(() => stop.mock.calls.length, { timeout: 20_000 }).toBe(1);
    expect(next).toHaveBeenCalledTimes(1);
  });

  test.each<[string, unknown, string]>([
    [
      "a number",
      7,
      'Tool "t": the handler\'s async iterable yielded a number. Yield text or content blocks.',
    ],
    [
      "bytes",
      BYTES,
      'Tool "t": the handler\'s async iterable yielded a Uint8Array. Yield text or content blocks.',
    ],
    [
      "too much text",
      "x".repeat(16 * 1_048_576 + 1),
      'Tool "t": the handler\'s async iterable is too long (limit: 100000 chunks or 16777216 characters). ' +
        "Return less data, or link to it with `resourceLink`.",
    ],
  ])("that yields %s is ended and logged", async (_name, piece, message) => {
    const ended = vi.fn<() => void>();
    const entries: LogEntry[] = [];
    const server = defineServer({ ...INFO, log: (entry) => entries.push(entry) })
      .tool("t", {
        async *handler() {
          try {
            yield piece as string;
          } finally {
            ended();
          }
        },
      })
      .build();
    expect(await (await createClient(server)).callTool("t", {})).toMatchObject({ isError: true });
    expect(entries).toContainEqual(
      expect.objectContaining({ event: "output-invalid", error: expect.objectContaining({ message }) }),
    );
    expect(ended).toHaveBeenCalledTimes(1);
  });

  test("whose iteration fails is logged with the original error", async () => {
    const entries: LogEntry[] = [];
    const server = defineServer({ ...INFO, log: (entry) => entries.push(entry) })
      .tool("t", {
        // oxlint-disable-next-line require-yield -- it fails before its first value
        async *handler() {
          throw new Error("kaboom");
        },
      })
      .tool("structured", { output: z.object({ n: z.number() }), handler: pieces as never })
      .build();
    const client = await createClient(server);
    expect(await client.callTool("t", {})).toMatchObject({ content: [{ text: "Tool t failed" }] });
    expect(await client.callTool("structured", {})).toMatchObject({ isError: true });
    const errors = entries.flatMap((entry) => ("error" in entry ? [(entry.error as Error).message] : []));
    expect(errors).toEqual([
      "kaboom",
      'Tool "structured": the handler returned an AsyncGenerator, but the tool has an output schema. ' +
        "Return the output value, or remove `output` to stream text.",
    ]);
  });
});
