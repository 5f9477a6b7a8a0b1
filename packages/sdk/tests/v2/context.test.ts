/**
 * @fileoverview The context of callbacks, log messages, progress, and cancellation behave as in the official SDK,
 * version 2.
 * @module tests/sdk/v2/context
 */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  answersOf,
  type Behavior,
  bothSides,
  compare,
  ERAS,
  plain,
  type Register,
  settle,
  text,
} from "../support/v2/both-sides.js";

const call =
  (name: string, extra: object = {}): Behavior["ask"] =>
  async ({ client }) =>
    client.callTool({ name, ...extra });

/** Registers a tool that returns a value as JSON text. */
const show =
  (
    read: (
      ctx: Parameters<Parameters<Parameters<Register>[0]["registerTool"]>[2]>[1],
      server: Parameters<Register>[0],
    ) => unknown,
  ): Register =>
  (server) =>
    server.registerTool("show", { inputSchema: z.object({}) }, async (_args, ctx) =>
      text(JSON.stringify(await read(ctx, server)) ?? "undefined"),
    );

describe("ctx", () => {
  compare([
    {
      title: "has the method and the metadata",
      register: show(({ mcpReq }) => [mcpReq.method, typeof mcpReq.id, mcpReq._meta]),
      ask: call("show", { _meta: { "a/b": 1 } }),
      shows: { answer: text('["tools/call","number",{"a/b":1}]') },
    },
    {
      title: "has the envelope only in 2026-07-28",
      register: show(({ mcpReq }) => Object.keys(mcpReq.envelope ?? {}).toSorted()),
      ask: call("show"),
      shows: { answer: { content: [{}] } },
    },
    {
      title: "has members of the same names",
      register: show((ctx) => [Object.keys(ctx).toSorted(), Object.keys(ctx.mcpReq).toSorted()]),
      ask: call("show"),
      shows: { answer: { content: [{ text: expect.stringContaining("requestSampling") }] } },
    },
    {
      title: "has no input responses in the first round",
      register: show(({ mcpReq }) => [
        mcpReq.inputResponses ?? null,
        mcpReq.droppedInputResponseKeys ?? null,
        mcpReq.requestState() ?? null,
      ]),
      ask: call("show"),
      shows: { answer: text("[null,null,null]") },
    },
    {
      title: "has a signal that is not aborted",
      register: show(({ mcpReq }) => mcpReq.signal.aborted),
      ask: call("show"),
      shows: { answer: text("false") },
    },
    {
      title: "tells the client's capabilities and version",
      register: show((_ctx, { server }) => [
        server.getClientCapabilities()?.elicitation,
        server.getClientVersion(),
        server.getNegotiatedProtocolVersion(),
      ]),
      ask: call("show"),
      shows: { answer: { content: [{ text: expect.stringContaining('"name":"client"') }] } },
      options: { client: { capabilities: { roots: { listChanged: true }, elicitation: { form: {} } } } },
    },
    {
      title: "tells that the server is connected",
      register: show((_ctx, server) => server.isConnected()),
      ask: call("show"),
      shows: { answer: text("true") },
    },
    {
      title: "has HTTP data only over HTTP",
      register: show(
        ({ http }) => http && [Object.keys(http).toSorted(), http.req?.headers.get("mcp-method")],
      ),
      ask: call("show"),
      shows: { answer: { content: [{}] } },
    },
    {
      title: "has the authorization that was passed to fetch",
      register: show(({ http }) => http?.authInfo),
      ask: call("show"),
      shows: { answer: text('{"token":"t","clientId":"c","scopes":["s"],"expiresAt":9}') },
      options: { authInfo: { token: "t", clientId: "c", scopes: ["s"], expiresAt: 9 } },
      eras: ["2026"],
    },
  ]);
});

describe("notifications of a callback", () => {
  test.each(ERAS)("%s: progress reaches the client's callback", async (era) => {
    const register: Register = (server) =>
      server.registerTool("work", {}, async ({ mcpReq }) => {
        const progressToken = mcpReq._meta?.progressToken ?? "none";
        for (const progress of [1, 2]) {
          await mcpReq.notify({
            method: "notifications/progress",
            params: { progressToken, progress, total: 2, message: "m" },
          });
        }
        return text("done");
      });
    const [wanted, given] = await answersOf(
      register,
      async ({ client }) => {
        const seen: unknown[] = [];
        const result = await client.callTool({ name: "work" }, { onprogress: (one) => void seen.push(one) });
        return [seen, result];
      },
      { era },
    );
    expect(wanted).toMatchObject({
      answer: [[{ progress: 1 }, { progress: 2, total: 2, message: "m" }], {}],
    });
    expect(plain(given)).toEqual(plain(wanted));
  });
});

const logging: Register = (server) =>
  server.registerTool("log", {}, async ({ mcpReq }) => {
    await mcpReq.log("debug", { n: 1 }, "mine");
    await mcpReq.log("error", "late");
    return text("logged");
  });

describe("log messages", () => {
  const heardOf: Behavior["ask"] = async ({ client, heard }) => {
    await client.callTool({ name: "log" });
    await settle();
    return heard;
  };
  const enabled = { server: { capabilities: { logging: {} } } };
  compare([
    {
      title: "are sent without a level in 2025, and dropped in 2026",
      register: logging,
      ask: heardOf,
      shows: { answer: expect.any(Array) },
      options: enabled,
    },
    {
      title: "are dropped unless logging is declared",
      register: logging,
      ask: heardOf,
      shows: { answer: [] },
    },
    {
      title: "below the client's level are dropped",
      register: logging,
      ask: async (side) => {
        await side.client.setLoggingLevel("warning");
        return heardOf(side);
      },
      shows: { answer: [{ params: { level: "error", data: "late" } }] },
      eras: ["2025"],
      options: enabled,
    },
    {
      title: "in 2026 are sent if the request names a level",
      register: logging,
      ask: async ({ client, heard }) => {
        await client.callTool({ name: "log", _meta: { "io.modelcontextprotocol/logLevel": "debug" } });
        await settle();
        return heard;
      },
      shows: { answer: [{ params: { level: "debug", logger: "mine", data: { n: 1 } } }, {}] },
      options: enabled,
      eras: ["2026"],
    },
    {
      title: "of the server are sent outside callbacks",
      register: () => undefined,
      ask: async ({ server, heard }) => {
        await server().sendLoggingMessage({ level: "info", data: "x", logger: "l" });
        await settle();
        return heard;
      },
      shows: {
        answer: [{ method: "notifications/message", params: { level: "info", data: "x", logger: "l" } }],
      },
      options: enabled,
      eras: ["2025"],
    },
    {
      title: "of the server need the capability",
      register: () => undefined,
      ask: async ({ server, heard }) => {
        await server().sendLoggingMessage({ level: "info", data: "x" });
        await settle();
        return heard;
      },
      shows: { answer: [] },
      eras: ["2025"],
    },
    {
      title: "sent with notify need the capability",
      register: (server) =>
        server.registerTool("log", {}, async ({ mcpReq }) => {
          await mcpReq.notify({ method: "notifications/message", params: { level: "info", data: "x" } });
          return text("");
        }),
      ask: call("log"),
      shows: {
        answer: {
          isError: true,
          content: [{ text: "Server does not support logging (required for notifications/message)" }],
        },
      },
    },
    {
      title: "have a level that the client can set only if declared",
      register: () => undefined,
      ask: async ({ client }) => client.request({ method: "logging/setLevel", params: { level: "info" } }),
      shows: { refused: { code: -32601 } },
      eras: ["2025"],
    },
  ]);
});

describe("cancellation", () => {
  test.each(ERAS)("%s: aborts the callback's signal", async (era) => {
    const seen: boolean[] = [];
    const register: Register = (server) =>
      server.registerTool("wait", {}, async ({ mcpReq }) => {
        const { signal } = mcpReq;
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        seen.push(signal.aborted);
        return text("late");
      });
    const sides = await bothSides(register, { era });
    for (const { client } of sides) {
      const stop = new AbortController();
      const outcome = client
        .callTool({ name: "wait" }, { signal: stop.signal })
        .catch((error: Error) => error.name);
      await settle();
      stop.abort("enough");
      expect(await outcome).toBe("SdkError");
    }
    await expect.poll(() => seen).toEqual([true, true]);
    await Promise.all(sides.map(({ client }) => client.close()));
  });
});

describe("the client of the last request", () => {
  test.each(ERAS)("%s: is known after the connection has ended (drop-in B11)", async (era) => {
    const options = { era, client: { capabilities: { roots: {} } } };
    const seen: unknown[] = [];
    for (const side of await bothSides((server) => server.registerTool("t", {}, () => text("")), options)) {
      await side.client.listTools();
      const { server } = side.server();
      await side.client.close();
      await server.close();
      await settle();
      seen.push([
        server.transport,
        server.getClientVersion(),
        server.getClientCapabilities(),
        server.getNegotiatedProtocolVersion(),
      ]);
    }
    const version = era === "2025" ? "2025-11-25" : "2026-07-28";
    expect(seen[0]).toEqual([undefined, { name: "client", version: "2.0.0" }, { roots: {} }, version]);
    expect(seen[1]).toEqual(seen[0]);
  });
});
