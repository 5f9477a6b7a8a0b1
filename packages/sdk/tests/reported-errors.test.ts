/**
 * @fileoverview Errors that `onerror` and the log receive, compared with both versions of the official SDK.
 * @module tests/sdk/reported-errors
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { LogEntry } from "tenon";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { bothSides, McpServer, ours, type Register, settle, theirs } from "./support/both-sides.js";
import * as v2 from "./support/v2/both-sides.js";

const Boom = z.object({ method: z.literal("notifications/boom") });
const Typed = z.object({ method: z.literal("notifications/typed"), params: z.object({ n: z.number() }) });

const failing: Register = ({ server }) => {
  server.setNotificationHandler(Boom, () => {
    throw new TypeError("boom");
  });
  server.setNotificationHandler(Typed, () => undefined);
  server.oninitialized = () => {
    throw new Error("not ready");
  };
};

/** A message of the client, and the beginning of the text that the official SDK reports. */
const MESSAGES: readonly (readonly [object, string])[] = [
  [
    { jsonrpc: "2.0", id: 77, result: { answer: "late" } },
    'Received a response for an unknown message ID: {"jsonrpc":"2.0","id":77,"result":{"answer":"late"}}',
  ],
  [
    { jsonrpc: "2.0", id: "x", error: { code: 1, message: "late" } },
    "Received a response for an unknown message ID: ",
  ],
  [
    { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 9, progress: 1, total: 2 } },
    "Received a progress notification for an unknown token: ",
  ],
  [
    { jsonrpc: "2.0", method: "notifications/boom" },
    "Uncaught error in notification handler: TypeError: boom",
  ],
];

/** Messages that the official SDK rejects with the output of its validator. */
const INVALID = [
  { jsonrpc: "2.0", method: "notifications/typed", params: { n: "1" } },
  { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "a", progress: "1" } },
  { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1.5, progress: 1 } },
  { jsonrpc: "2.0", method: "notifications/progress" },
];

describe("errors that onerror receives", () => {
  /** Sends a message to both servers of version 1. Returns the texts that each of them reports. */
  async function reportsOf(message: object): Promise<readonly (readonly string[])[]> {
    const reports: string[][] = [];
    for (const { server, client } of await bothSides(failing)) {
      const errors: string[] = [];
      server.server.onerror = (error) => void errors.push(error.message);
      await client.transport?.send(message as JSONRPCMessage);
      await settle();
      reports.push(errors);
    }
    return reports;
  }

  test.each(MESSAGES)("version 1: %j (drop-in B12)", async (message, start) => {
    const [wanted = [], given] = await reportsOf(message);
    expect(wanted.map((text) => text.startsWith(start))).toEqual([true]);
    expect(given).toEqual(wanted);
  });

  test.each(MESSAGES)("version 2: %j (drop-in B12)", async (message, start) => {
    const register: v2.Register = ({ server }) => {
      server.setNotificationHandler("notifications/boom", { params: z.looseObject({}) }, () => {
        throw new TypeError("boom");
      });
    };
    const reports: string[][] = [];
    for (const { client, errors } of await v2.bothSides(register)) {
      await client.transport?.send(message as JSONRPCMessage);
      await settle();
      reports.push(errors.map((error) => error.message));
    }
    const [wanted = [], given] = reports;
    expect(wanted.map((text) => text.startsWith(start))).toEqual([true]);
    expect(given).toEqual(wanted);
  });

  test.each(INVALID)("version 1: %j is an error of a handler (drop-in B12)", async (message) => {
    for (const reports of await reportsOf(message))
      expect(reports).toEqual([expect.stringContaining("Uncaught error in notification handler: ")]);
  });

  test("an error of `oninitialized` is reported with its cause (drop-in B12)", async () => {
    const errors: Error[] = [];
    const texts: string[] = [];
    for (const create of [theirs, ours]) {
      const server = create();
      failing(server);
      server.server.onerror = (error) => void errors.push(error);
      await send(server, { jsonrpc: "2.0", method: "notifications/initialized" });
      texts.push(errors.at(-1)?.message ?? "");
    }
    expect(texts[0]).toBe("Uncaught error in notification handler: Error: not ready");
    expect(texts[1]).toBe(texts[0]);
    expect(errors[1]).toMatchObject({ cause: { message: "not ready" } });
  });

  test("a response that cannot be sent is reported with the same text (drop-in B12)", async () => {
    const texts: string[][] = [];
    for (const create of [theirs, ours]) {
      const server = create();
      const errors: string[] = [];
      server.server.onerror = ({ message }) => void errors.push(message);
      await send(server, { jsonrpc: "2.0", id: 1, method: "ping" }, () => {
        throw new Error("the pipe is closed");
      });
      texts.push(errors);
    }
    expect(texts[0]).toEqual(["Failed to send response: Error: the pipe is closed"]);
    expect(texts[1]).toEqual(texts[0]);
  });

  test("a message that is nested too deeply to be shown is reported without it (drop-in B12)", async () => {
    const server = ours();
    const errors: string[] = [];
    server.server.onerror = ({ message }) => void errors.push(message);
    let deep: object = {};
    for (let depth = 0; depth < 100_000; depth++) deep = { deep };
    await send(server, { jsonrpc: "2.0", id: 7, result: { deep } });
    expect(errors).toEqual(["Received a response for an unknown message ID: (nested too deeply)"]);
  });
});

test("a log without `onerror` does not receive the client's message (drop-in B12)", async () => {
  const entries: LogEntry[] = [];
  const server = new McpServer({ name: "s", version: "1" }, { log: (entry) => void entries.push(entry) });
  await send(server as never, { jsonrpc: "2.0", id: 77, result: { answer: "s3cret" } });
  const params = { progressToken: "s3cret", progress: 1 };
  await send(server as never, { jsonrpc: "2.0", method: "notifications/progress", params });
  expect(entries.map((entry) => "error" in entry && String(entry.error))).toEqual([
    "Error: Received a response for an unknown message ID",
    "Error: Received a progress notification for an unknown token",
  ]);
});

/** Connects a transport, delivers one message, and closes the transport. @param reply sends the server's messages */
async function send(
  server: ReturnType<typeof ours>,
  message: object,
  reply: () => void = () => undefined,
): Promise<void> {
  const transport: Transport = {
    start: async () => undefined,
    send: async () => reply(),
    close: async () => transport.onclose?.(),
  };
  await server.connect(transport);
  transport.onmessage?.(message as JSONRPCMessage);
  await settle();
  await server.close();
}
