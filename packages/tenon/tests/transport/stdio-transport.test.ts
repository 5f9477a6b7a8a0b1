import { PassThrough } from "node:stream";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { DEFAULT_LIMITS, META } from "../../src/protocol/index.js";
import { serveStdio } from "../../src/transport/stdio/serve-stdio.js";
import {
  call,
  deferred,
  INITIALIZE,
  line,
  openStreams,
  ping,
  serverOf,
  settled,
  Valve,
} from "../../../../tests/support/stdio-streams.js";

const NOTHING = z.object({});
const LIMITS = { ...DEFAULT_LIMITS, maxBytes: 300 };
const ENVELOPE = { [META.protocolVersion]: "2026-07-28", [META.clientCapabilities]: {} };

describe("frames on a stream", () => {
  test("replies are the same regardless of how the bytes are split", async () => {
    const frame = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => Buffer.from(call(1, "echo", { text }))),
      fc.constantFrom<Uint8Array>(
        Buffer.from(ping("é漢😀")),
        Buffer.from(ping(2).replace("\n", "\r\n")),
        Buffer.from("\n\r\n  \n"),
        Buffer.from("{broken\n"),
        Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]),
        Buffer.from(`"${"x".repeat(400)}"\n`),
        Buffer.from(line({ method: "notifications/initialized" })),
      ),
    );
    const talk = async (chunks: readonly Uint8Array[]) => {
      const { input, output, transport } = openStreams(serverOf(), { limits: LIMITS });
      for (const chunk of chunks) input.write(chunk);
      input.end();
      await transport.closed;
      return output.text;
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(frame, { maxLength: 12 }),
        fc.array(fc.nat(), { maxLength: 40 }),
        async (frames, places) => {
          const stream = Buffer.concat([Buffer.from(INITIALIZE), ...frames]);
          const ends = places.map((place) => place % stream.length).sort((a, b) => a - b);
          const chunks = [...ends, stream.length].map((end, index) =>
            stream.subarray(ends[index - 1] ?? 0, end),
          );
          const whole = await talk([stream]);
          expect(await talk(chunks)).toBe(whole);
          expect(await talk(Array.from(stream, (byte) => Uint8Array.of(byte)))).toBe(whole);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("a frame above the limit, invalid UTF-8, and invalid JSON are each rejected once, and the next frame is served", async () => {
    const { input, output, transport } = openStreams(serverOf(), { limits: LIMITS });
    input.write(INITIALIZE);
    for (let piece = 0; piece < 50; piece += 1) input.write("x".repeat(100));
    input.write("\n");
    input.write(Buffer.from([0x22, 0xc3, 0x28, 0x22, 0x0a]));
    input.write("{\n");
    input.end(ping(1));
    await transport.closed;
    expect(output.messages.slice(1)).toEqual([
      {
        jsonrpc: "2.0",
        id: null,
        error: { code: -32600, message: "The message is too large (limit: 300 bytes)." },
      },
      { jsonrpc: "2.0", id: null, error: { code: -32700, message: "The message is not valid UTF-8." } },
      { jsonrpc: "2.0", id: null, error: { code: -32700, message: "The message is not valid JSON." } },
      { jsonrpc: "2.0", id: 1, result: {} },
    ]);
  });

  test("with `oversized: close`, a frame above the limit ends the connection and its calls", async () => {
    const aborted: unknown[] = [];
    const server = serverOf(
      (one) =>
        new Promise(() => {
          one.signal.addEventListener("abort", () => aborted.push(one.id));
        }),
    );
    const { input, output, errors, transport } = openStreams(server, { limits: LIMITS, oversized: "close" });
    input.write(`${INITIALIZE}${call(1, "run")}`);
    input.write(`{broken\n${"x".repeat(300)}\n`); // neither of them is above the limit
    input.write(`${"x".repeat(301)}\n${ping(2)}`);
    await transport.closed;
    expect(output.messages.map(({ id }) => id)).toEqual([0, null, null]);
    expect(aborted).toEqual([1]);
    expect(errors).toEqual([
      new Error("The message is too large (limit: 300 bytes). The connection is closed."),
    ]);
  });

  test("a last frame without a newline is served, also by an asynchronous handler", async () => {
    const { input, output, transport } = openStreams(serverOf(async () => "done"));
    input.end(`${INITIALIZE}${call(1, "run").trimEnd()}`);
    await transport.closed;
    expect(output.messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: "done" }] } });
  });

  test("text chunks are accepted, for an input with an encoding", async () => {
    const input = new PassThrough({ encoding: "utf8" });
    const output = new Valve();
    const transport = serveStdio(serverOf(), { input, output });
    const bytes = Buffer.from(INITIALIZE + call(1, "echo", { text: "漢😀" }));
    for (const byte of bytes) input.write(Uint8Array.of(byte));
    input.end();
    await transport.closed;
    expect(output.messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: "漢😀" }] } });
  });

  test("a batch's replies are one line, and a batch of notifications receives none", async () => {
    const { input, output, transport } = openStreams(serverOf());
    const open = INITIALIZE.replace("2025-11-25", "2025-03-26");
    const one = (text: string) => text.trimEnd();
    const note = one(line({ method: "notifications/initialized" }));
    input.end(`${open}[${one(ping(1))},${note},${one(ping(2))}]\n[${note}]\n`);
    await transport.closed;
    expect(output.messages.slice(1)).toEqual([
      [
        { jsonrpc: "2.0", id: 1, result: {} },
        { jsonrpc: "2.0", id: 2, result: {} },
      ],
    ]);
  });

  test("a list's cached bytes are written without encoding them again", async () => {
    const server = serverOf();
    const { input, output, transport } = openStreams(server);
    input.end(INITIALIZE + line({ id: 1, method: "tools/list" }));
    await transport.closed;
    const response = await server.handle({ jsonrpc: "2.0", id: 2, method: "tools/list" }, undefined, {
      connection: transport.connection,
    });
    const { payload } = response.parts();
    if (typeof payload === "string") throw new Error("The list is not cached.");
    expect(output.chunks.some(({ buffer }) => buffer === payload.buffer)).toBe(true);
    expect(output.messages.at(-1)?.result?.["tools"]).toHaveLength(2);
  });

  test("R31: the context is passed to handlers unchanged", async () => {
    const context = { user: "ada" };
    const seen: unknown[] = [];
    const { input, transport } = openStreams(
      serverOf((one) => void seen.push(one.context)),
      { context },
    );
    input.end(INITIALIZE + call(1, "run"));
    await transport.closed;
    expect(seen[0]).toBe(context);
  });
});

describe("order", () => {
  test("synchronous replies are sent in order, and a slow call does not block the next", async () => {
    const slow = deferred<string>();
    const { input, output, transport } = openStreams(serverOf(() => slow.promise));
    input.write(INITIALIZE + call(1, "run") + ping(2) + call(3, "echo", { text: "three" }) + ping(4));
    await settled();
    expect(output.messages.map(({ id }) => id)).toEqual([0, 2, 3, 4]);
    slow.resolve("one");
    await settled();
    expect(output.messages.map(({ id }) => id)).toEqual([0, 2, 3, 4, 1]);
    await transport.close();
  });

  test("a subscription's changes are sent before the reply that ends it", async () => {
    const server = serverOf();
    const output = new Valve({ open: false, highWaterMark: 10 });
    const { input, transport } = openStreams(server, { output });
    const params = { notifications: { toolsListChanged: true }, _meta: ENVELOPE };
    input.write(line({ id: "sub", method: "subscriptions/listen", params }));
    await settled();
    for (const name of ["a", "b", "c"]) {
      server.update((editor) => editor.tool(name, { input: NOTHING, handler: () => name }));
    }
    server.close();
    await settled();
    output.open();
    await settled();
    expect(output.messages.map(({ id, method }) => id ?? method)).toEqual([
      "notifications/subscriptions/acknowledged",
      "notifications/tools/list_changed",
      "sub",
    ]);
    await transport.close();
  });
});

describe("a request to the client without a JSON form", () => {
  test("fails in its handler without waiting", async () => {
    const failures: unknown[] = [];
    const { input, output, transport } = openStreams(
      serverOf(async (one) => {
        const metadata = { big: 1n };
        await one
          .sample("key", { messages: [], maxTokens: 1, metadata })
          .catch((error) => failures.push(error));
        return "done";
      }),
    );
    input.write(INITIALIZE + call(1, "run"));
    await settled();
    await transport.close();
    expect(failures).toEqual([expect.any(TypeError)]);
    expect(output.messages.map(({ id }) => id)).toEqual([0, 1]);
  });
});

describe("a client that does not read", () => {
  test.each([
    ["in one chunk", (frames: readonly string[]) => [frames.join("")]],
    ["one by one", (frames: readonly string[]) => frames],
  ])("blocks its own requests, and loses nothing: %s", async (_, cut) => {
    const output = new Valve({ open: false, highWaterMark: 1_000 });
    const { input, transport } = openStreams(serverOf(), { output });
    const count = 5_000;
    for (const chunk of cut(Array.from({ length: count }, (_unused, id) => ping(id)))) input.write(chunk);
    await settled();
    expect(input.isPaused()).toBe(true);
    expect(output.writableLength).toBeLessThan(1_100);
    for (let round = 0; round < 100; round += 1) {
      output.takeOne();
      await settled();
      expect(output.writableLength).toBeLessThan(1_100);
    }
    output.open();
    input.end();
    await transport.closed;
    expect(output.messages.map(({ id }) => id)).toEqual(Array.from({ length: count }, (_unused, id) => id));
    expect(output.peak).toBeLessThan(1_100);
  });

  test("blocks requests too if it does not read asynchronous replies", async () => {
    const output = new Valve({ open: false, highWaterMark: 1_000 });
    const { input, transport } = openStreams(
      serverOf(async () => "x".repeat(2_000)),
      { output },
    );
    input.write(INITIALIZE + call(1, "run"));
    await settled();
    expect(input.isPaused()).toBe(true);
    input.write(ping(2));
    await settled();
    expect(input.readableLength).toBeGreaterThan(0);
    output.open();
    await settled();
    expect(output.messages.map(({ id }) => id)).toEqual([0, 1, 2]);
    await transport.close();
  });

  test("slows down a handler that sends progress to it", async () => {
    let sent = 0;
    const output = new Valve({ open: false, highWaterMark: 1_000 });
    const { input, transport } = openStreams(
      serverOf(async (one) => {
        for (; sent < 500; sent += 1) await one.log("info", `step ${sent}`);
        return "done";
      }),
      { output },
    );
    input.write(INITIALIZE + call(1, "run"));
    await settled();
    expect(sent).toBeLessThan(20);
    output.open();
    await expect.poll(() => sent).toBe(500);
    await settled();
    const steps = output.messages.filter(({ method }) => method === "notifications/message");
    expect(steps.map(({ params }) => params?.["data"])).toEqual(
      Array.from({ length: 500 }, (_unused, step) => `step ${step}`),
    );
    expect(output.messages.at(-1)).toMatchObject({ id: 1 });
    await transport.close();
  });

  test("is notified once of a list that changed many times in the meantime", async () => {
    const server = serverOf();
    const output = new Valve({ open: false, highWaterMark: 100 });
    const { input, transport } = openStreams(server, { output });
    input.write(INITIALIZE);
    await settled();
    const before = output.writableLength;
    for (let round = 0; round < 100; round += 1) {
      server.update((editor) => editor.tool(`tool-${round}`, { input: NOTHING, handler: () => "" }));
    }
    expect(output.writableLength).toBe(before);
    output.open();
    await settled();
    expect(output.messages.slice(1)).toEqual([
      { jsonrpc: "2.0", method: "notifications/tools/list_changed", params: {} },
    ]);
    await transport.close();
  });
});
