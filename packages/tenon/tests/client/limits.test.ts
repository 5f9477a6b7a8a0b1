import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { CLIENT_LIMITS, ConnectionMemory } from "../../src/client/limits.js";
import { type Client, createClient } from "../../src/client/index.js";
import { RecentNotifications } from "../../src/client/messages/recent-notifications.js";
import type { JsonObject } from "../../src/protocol/index.js";
import {
  connectHostile,
  connectProgram,
  openStream,
  type Received,
  reply,
  replyCompressed,
  REPORT_PROGRESS,
  writeTo,
} from "../support/client/hostile-peers.js";

const MEGABYTE = 1024 * 1024;
const text = (bytes: number) => "x".repeat(bytes);

describe("a list", () => {
  /** Serves pages without an end. Each one contains `tools`. */
  const endless = (tools: readonly unknown[], counts: { pages: number }) => (received: Received) =>
    replyCompressed(received, { tools, nextCursor: String(++counts.pages) });

  test.each<[string, readonly unknown[]]>([
    ["long texts", [{ name: "a", description: text(MEGABYTE) }]],
    // The text has 600 kB, and takes 11 MB of memory.
    ["short values", [{ name: "a", examples: Array.from({ length: 200_000 }, () => ({})) }]],
    ["members that are not tools", [text(MEGABYTE)]],
  ])("of tools is limited in bytes over all pages, with %s", async (_title, tools) => {
    const counts = { pages: 0 };
    const client = await connectHostile(endless(tools, counts), { limits: { maxListBytes: 5 * MEGABYTE } });
    await expect(client.listTools()).rejects.toMatchObject({
      name: "ConnectionError",
      code: "protocol",
      message:
        "The server's tools/list result is too large (limit: 5242880 bytes). " +
        "The option `limits.maxListBytes` raises the limit.",
    });
    expect(counts.pages).toBeLessThanOrEqual(6);
  });

  test.each<[key: string, method: string, list: (client: Client) => Promise<unknown>]>([
    ["prompts", "prompts/list", (client) => client.listPrompts()],
    ["resources", "resources/list", (client) => client.listResources()],
    ["resourceTemplates", "resources/templates/list", (client) => client.listResourceTemplates()],
  ])("of %s is limited in bytes over all pages", async (key, method, list) => {
    const counts = { pages: 0 };
    const client = await connectHostile(
      (received) =>
        replyCompressed(received, {
          [key]: [{ name: "a", description: text(MEGABYTE) }],
          nextCursor: String(++counts.pages),
        }),
      { limits: { maxListBytes: 5 * MEGABYTE } },
    );
    await expect(list(client)).rejects.toThrow(
      `The server's ${method} result is too large (limit: 5242880 bytes).`,
    );
    expect(counts.pages).toBeLessThanOrEqual(6);
  });

  test("ends if the server repeats a cursor", async () => {
    const counts = { pages: 0 };
    const client = await connectHostile((received) =>
      reply(received, { tools: [], nextCursor: ++counts.pages % 2 === 0 ? "even" : "odd" }),
    );
    await expect(client.listTools()).rejects.toThrow(
      "The server's tools/list result never ends, because it repeats a cursor.",
    );
    expect(counts.pages).toBe(3);
  });

  test("ends after the total time", async () => {
    const client = await connectHostile(
      async (received) => {
        await sleep(30);
        reply(received, { tools: [], nextCursor: String(received.id) });
      },
      { limits: { maxTotalMs: 200 } },
    );
    await expect(client.listTools()).rejects.toMatchObject({
      code: "timeout",
      message:
        "The server did not complete tools/list within 0.2 s. The option `limits.maxTotalMs` raises the limit.",
    });
  });

  test("ends with a cursor of null", async () => {
    const client = await connectHostile((received) => reply(received, { tools: [], nextCursor: null }));
    expect(await client.listTools()).toEqual([]);
  });
});

describe("a message", () => {
  const TOO_LARGE =
    /too large.*\(limit: \d+ bytes\)\. The option `limits\.maxMessageBytes` raises the limit\.$/;

  test.each(
    (["gzip", "br", "deflate"] as const).flatMap((encoding) =>
      [200, 400, 404, 429, 500, 503].map((status) => [encoding, status] as const),
    ),
  )("is limited in bytes after decompression of %s, with HTTP status %i", async (encoding, status) => {
    const client = await connectHostile(
      (received) =>
        replyCompressed(
          received,
          { content: [{ type: "text", text: text(4 * MEGABYTE) }] },
          { encoding, status },
        ),
      { limits: { maxMessageBytes: MEGABYTE } },
    );
    await expect(client.callTool("a")).rejects.toThrow(
      "The server's response is too large (limit: 1048576 bytes).",
    );
  });

  test.each(["gzip", "br", "deflate"] as const)(
    "that rejects the credentials is read only at its start, with %s",
    async (encoding) => {
      const client = await connectHostile((received) =>
        replyCompressed(
          received,
          {},
          { encoding, status: 401, error: { message: "told", data: text(200_000) } },
        ),
      );
      await expect(client.callTool("a")).rejects.toThrow(
        /^The server requires authorization \(HTTP 401\)\.$/,
      );
    },
  );

  test.each([
    ["deep nesting", "[", "]", 300_000],
    ["too many values", "0,", "", 2_000_000],
  ])("with %s fails the request, over JSON, events, and stdio", async (_title, start, end, times) => {
    const value = `[${start.repeat(times)}0${end.repeat(times)}]`;
    const body = ({ id }: Received) => `{"jsonrpc":"2.0","id":${String(id)},"result":${value}}`;
    const json = await connectHostile((received) => {
      received.response.setHeader("content-type", "application/json");
      received.response.end(body(received));
    });
    await expect(json.callTool("a")).rejects.toThrow(TOO_LARGE);
    const events = await connectHostile((received) => {
      openStream(received);
      return writeTo(received.response, `data: ${body(received)}\n\n`);
    });
    await expect(events.callTool("a")).rejects.toThrow(TOO_LARGE);
    const program = await connectProgram(`
      const value = "[" + ${JSON.stringify(start)}.repeat(${times}) + "0" + ${JSON.stringify(end)}.repeat(${times}) + "]";
      write('{"jsonrpc":"2.0","id":' + id + ',"result":' + value + '}\\n')`);
    await expect(program.callTool("a")).rejects.toThrow(TOO_LARGE);
  });

  test("without its ID fails all requests of a program", async () => {
    const client = await connectProgram(
      `if (params.name === "b") write('{"result":"' + "x".repeat(2e6) + '","id":' + id + "}\\\\n")`,
      { limits: { maxMessageBytes: MEGABYTE } },
    );
    const calls = [client.callTool("a"), client.callTool("b")];
    for (const call of calls) await expect(call).rejects.toThrow(TOO_LARGE);
  });

  test.each<[string, string]>([
    ["a line without an end", text(65_536)],
    ["data lines without an end", "data\n".repeat(20_000)],
  ])("of an event stream is limited: %s", async (_title, chunk) => {
    const client = await connectHostile(
      async (received) => {
        openStream(received);
        while (!received.response.destroyed) await writeTo(received.response, chunk);
      },
      { limits: { maxMessageBytes: MEGABYTE } },
    );
    await expect(client.callTool("a")).rejects.toThrow(TOO_LARGE);
  });
});

describe("work in progress", () => {
  /** Sends part of a response, and never its end. */
  const half = (received: Received) => {
    received.response.setHeader("content-type", "application/json");
    return writeTo(received.response, `{"x":"${text(MEGABYTE)}`);
  };

  /** Calls a tool with each client, and returns the reasons of those that are refused. The others wait forever. */
  const findRefused = async (clients: readonly Client[]) => {
    const stop = new AbortController();
    const refused: string[] = [];
    const calls = clients.map((client) =>
      client
        .callTool("a", {}, { signal: stop.signal })
        .catch((error: unknown) => stop.signal.aborted || refused.push(String(error))),
    );
    await vi.waitFor(() => expect(refused.length).toBeGreaterThanOrEqual(5));
    stop.abort();
    await Promise.all(calls);
    return new Set(refused);
  };

  test("is limited in bytes per connection", async () => {
    const client = await connectHostile(half, { limits: { maxConnectionBytes: 3 * MEGABYTE } });
    expect(await findRefused(Array.from({ length: 8 }, () => client))).toEqual(
      new Set([
        "ConnectionError: The server sends too much at the same time (limit: 3145728 bytes). " +
          "The option `limits.maxConnectionBytes` raises the limit.",
      ]),
    );
  });

  test("is limited in bytes for all clients of the process", async () => {
    const limits = { maxTotalBytes: 3 * MEGABYTE };
    const clients = await Promise.all(Array.from({ length: 8 }, () => connectHostile(half, { limits })));
    expect(await findRefused(clients)).toEqual(
      new Set([
        "ConnectionError: All servers together send too much at the same time (limit: 3145728 bytes). " +
          "The option `limits.maxTotalBytes` raises the limit.",
      ]),
    );
  });

  test("of an event stream counts two bytes per character", async () => {
    // Each event takes 2 MB of memory, and the text of 1 million characters.
    const client = await connectHostile(
      (received) => {
        openStream(received);
        return writeTo(received.response, `data: ${"ж".repeat(1_000_000)}`);
      },
      { limits: { maxConnectionBytes: 8_500_000, maxTotalBytes: 1_000_000_000 } },
    );
    const refused = await findRefused(Array.from({ length: 9 }, () => client));
    expect([...refused].join()).toContain("limits.maxConnectionBytes");
  });

  test("gives its memory back", () => {
    const memory = new ConnectionMemory({ maxConnectionBytes: 10, maxTotalBytes: 1_000_000_000 });
    const [one, other] = [memory.open(), memory.open()];
    one.resize(8);
    expect(() => other.resize(3)).toThrow("maxConnectionBytes");
    one.resize(6);
    other.resize(4);
    expect(() => other.resize(5)).toThrow("maxConnectionBytes");
    one.close();
    other.resize(10);
    other.close();
    one.resize(10);
    one.close();
  });

  test("is dropped from the connection that holds most if all together need too much", () => {
    const limits = { maxConnectionBytes: 1_000_000, maxTotalBytes: 1_000_000 };
    const open = (given = limits) => {
      const memory = new ConnectionMemory(given);
      const drop = vi.fn();
      const share = memory.open(drop);
      onTestFinished(() => share.close());
      return { memory, share, drop };
    };
    const [honest, hostile, other, large] = [open(), open(), open(), open({ ...limits, maxTotalBytes: 2e6 })];
    hostile.share.resize(400_000);
    const more = hostile.memory.open(hostile.drop);
    more.resize(300_000);
    other.share.resize(250_000);
    // The largest connection loses both shares. Its own requests for more fail first.
    expect(() => more.resize(600_000)).toThrow("maxTotalBytes");
    expect(hostile.drop).not.toHaveBeenCalled();
    honest.share.resize(100_000);
    expect(hostile.drop.mock.calls.map(String)).toEqual([
      expect.stringContaining("maxTotalBytes"),
      expect.stringContaining("maxTotalBytes"),
    ]);
    for (const { drop } of [honest, other]) expect(drop).not.toHaveBeenCalled();
    // A connection that may use more is not dropped for one that may use less.
    large.share.resize(900_000);
    expect(() => honest.share.resize(200_000)).toThrow("maxTotalBytes");
    expect(large.drop).not.toHaveBeenCalled();
  });

  test("that cannot be dropped takes at most half of the total", () => {
    const memory = new ConnectionMemory({ maxConnectionBytes: 1_000, maxTotalBytes: 1_000 });
    const share = memory.open();
    expect(() => share.resize(501)).toThrow("maxTotalBytes");
    share.resize(500);
    share.close();
  });
});

describe("notifications", () => {
  test("are kept up to a size, and all are passed on", async () => {
    const heard = vi.fn();
    const client = await connectHostile(
      async (received) => {
        const send = openStream(received);
        for (let data = 0; data < 20; data++)
          await send({
            method: "notifications/message",
            params: { level: "info", data, more: text(300_000) },
          });
        await send({ id: received.id, result: { content: [] } });
      },
      { onNotification: heard, limits: { maxNotificationBytes: MEGABYTE } },
    );
    await client.callTool("a");
    expect(heard).toHaveBeenCalledTimes(20);
    expect(client.notifications.map(({ params }) => (params as JsonObject)["data"])).toEqual([17, 18, 19]);
  });

  test("are kept up to a number, and one that is larger than the limit is not kept", () => {
    const recent = new RecentNotifications(1_000_000);
    for (let at = 0; at < 1_500; at++) recent.add({ jsonrpc: "2.0", method: "n", params: { at } });
    recent.add({ jsonrpc: "2.0", method: "large", params: { text: text(2_000_000) } });
    expect(recent.list).toHaveLength(1_000);
    expect(recent.list.at(-1)).toMatchObject({ params: { at: 1_499 } });
    const none = new RecentNotifications(0);
    none.add({ jsonrpc: "2.0", method: "n" });
    expect(none.list).toEqual([]);
  });
});

describe("requests of the server", () => {
  test("are answered a few at a time over HTTP, and a flood of pings is slowed down", async () => {
    const counts = { sent: 0, answers: 0, open: 0, most: 0, startedAt: 0 };
    const client = await connectHostile(
      async (received) => {
        if (received.method === undefined) {
          if (counts.answers++ === 0) counts.startedAt = performance.now();
          counts.most = Math.max(counts.most, ++counts.open);
          await sleep(2);
          counts.open--;
          received.response.writeHead(202).end();
          return;
        }
        const send = openStream(received);
        while (!received.response.destroyed) await send({ id: `p${++counts.sent}`, method: "ping" });
      },
      { limits: { maxAnswers: 8 } },
    );
    const stop = new AbortController();
    const call = client.callTool("a", {}, { signal: stop.signal });
    await vi.waitFor(() => expect(counts.answers).toBeGreaterThan(250), { timeout: 20_000 });
    stop.abort();
    await expect(call).rejects.toThrow("aborted");
    expect(counts.most).toBeLessThanOrEqual(9);
    // 100 in each second that has begun, which is one more for the client, and those that were already read.
    const seconds = Math.ceil((performance.now() - counts.startedAt) / 1_000) + 1;
    expect(counts.answers).toBeLessThanOrEqual(100 * seconds + 10);
  });

  test("beyond the limit get an error, without running the handler", async () => {
    const answers: JsonObject[] = [];
    let release = (_text: string) => {};
    const released = new Promise<string>((resolve) => (release = resolve));
    const sample = vi.fn(() => released);
    const program = `
      for (let at = 0; method === "tools/call" && at < 20; at++)
        send({ id: "s" + at, method: "sampling/createMessage", params: {} });`;
    const client = await connectProgram(program, {
      limits: { maxAnswers: 4 },
      trace: ({ direction, text: sent }) => {
        const message = direction === "sent" ? (JSON.parse(sent) as JsonObject) : {};
        if (message["id"] !== undefined && message["method"] === undefined) answers.push(message);
      },
      sample,
    });
    const stop = new AbortController();
    const call = client.callTool("a", {}, { signal: stop.signal });
    await vi.waitFor(() => expect(answers).toHaveLength(16));
    expect(sample).toHaveBeenCalledTimes(4);
    expect(answers[0]?.["error"]).toEqual({
      code: -32603,
      message: "The client is answering too many requests (limit: 4). Send fewer requests at the same time.",
    });
    release("text");
    await vi.waitFor(() => expect(answers).toHaveLength(20));
    expect(answers.filter(({ error }) => error === undefined)).toHaveLength(4);
    stop.abort();
    await expect(call).rejects.toThrow("aborted");
  });

  test("with parameters that are too large get an error", async () => {
    const sample = vi.fn(() => "text");
    const answers: string[] = [];
    const client = await connectHostile(
      async (received) => {
        if (received.method === undefined) return void received.response.writeHead(202).end();
        const send = openStream(received);
        const params = { text: text(2 * MEGABYTE) };
        await send({ id: "large", method: "sampling/createMessage", params });
        await send({ id: received.id, result: { content: [] } });
      },
      {
        sample,
        limits: { maxConnectionBytes: MEGABYTE, maxMessageBytes: 4 * MEGABYTE },
        trace: ({ direction, text: sent }) => void (direction === "sent" && answers.push(sent)),
      },
    );
    await expect(client.callTool("a")).rejects.toThrow("maxConnectionBytes");
    expect(sample).not.toHaveBeenCalled();
  });

  test("count with the memory of their parameters, not with their text", async () => {
    const sample = vi.fn(() => "text");
    const errors: unknown[] = [];
    const client = await connectHostile(
      async (received) => {
        if (received.method === undefined) return void received.response.writeHead(202).end();
        const send = openStream(received);
        // The text has 150 kB, and takes 3 MB of memory.
        const params = { values: Array.from({ length: 50_000 }, () => ({})) };
        await send({ id: "large", method: "sampling/createMessage", params });
        await send({ id: received.id, result: { content: [] } });
      },
      {
        sample,
        limits: { maxConnectionBytes: MEGABYTE },
        trace: ({ direction, text: sent }) => {
          const message = direction === "sent" && sent !== "" ? (JSON.parse(sent) as JsonObject) : {};
          if (message["id"] === "large") errors.push(message["error"]);
        },
      },
    );
    expect(await client.callTool("a")).toEqual({ content: [] });
    await vi.waitFor(() => expect(errors).toHaveLength(1), { timeout: 15_000 });
    expect(JSON.stringify(errors)).toContain("The client is answering too many requests");
    expect(sample).not.toHaveBeenCalled();
  });

  test.each([
    ["a long ID", `"${text(2_000)}"`],
    ["an object as ID", `{"a":1}`],
    ["null as ID", "null"],
  ])("with %s are ignored", async (_title, id) => {
    const client = await connectProgram(
      `await write('{"jsonrpc":"2.0","id":' + ${JSON.stringify(id)} + ',"method":"ping"}\\n');
       send({ id, result: { content: [] } });`,
      {
        trace: ({ direction, text: sent }) => {
          if (direction === "sent") expect(sent).toContain('"method"');
        },
      },
    );
    expect(await client.callTool("a")).toEqual({ content: [] });
  });

  test("in one result are limited in number", async () => {
    const input = vi.fn(() => ({ action: "decline" as const }));
    const question = { method: "elicitation/create", params: {} };
    const inputRequests = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`q${at}`, question]));
    const client = await connectHostile(
      (received) => reply(received, { resultType: "input_required", inputRequests }),
      { input },
    );
    await expect(client.callTool("a")).rejects.toThrow(
      "The server asks too many questions at the same time (limit: 32). The option `limits.maxAnswers` raises the limit.",
    );
    expect(input).not.toHaveBeenCalled();
  });
});

test("progress that was not requested does not delay the time limit", async () => {
  const client = await connectProgram(REPORT_PROGRESS);
  await expect(client.callTool("a", {}, { timeoutMs: 300 })).rejects.toThrow(
    "The server did not respond to tools/call within 0.3 s.",
  );
});

test("the limits are checked, and have defaults", async () => {
  await expect(createClient("http://127.0.0.1:1/mcp", { limits: { maxListBytes: 0 } })).rejects.toThrow(
    "createClient: `limits.maxListBytes` must be a positive integer (bytes); got 0.",
  );
  // @ts-expect-error The option does not exist.
  await expect(createClient("http://127.0.0.1:1/mcp", { limits: { maxListByte: 1 } })).rejects.toThrow(
    "Did you mean `maxListBytes`?",
  );
  expect(CLIENT_LIMITS.defaults).toEqual({
    maxMessageBytes: 16_777_216,
    maxListBytes: 33_554_432,
    maxNotificationBytes: 4_194_304,
    maxAnswers: 32,
    maxConnectionBytes: 67_108_864,
    maxTotalBytes: 134_217_728,
    maxTotalMs: 3_600_000,
  });
});
