/**
 * @fileoverview Requests to the client behave as in the official SDK, version 2.
 * @module tests/sdk/v2/client-requests
 */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  answersOf,
  type Behavior,
  bothSides,
  compare,
  plain,
  type Register,
  type SideOptions,
  text,
} from "../support/v2/both-sides.js";

const call: Behavior["ask"] = async ({ client }) => client.callTool({ name: "ask" });

type Server = Parameters<Register>[0];
type Ctx = Parameters<Parameters<Server["registerTool"]>[2]>[1];

/** Registers a tool that returns the JSON of a request's outcome. */
const asking =
  (ask: (ctx: Ctx, server: Server) => Promise<unknown>): Register =>
  (server) =>
    server.registerTool("ask", { inputSchema: z.object({}) }, async (_args, ctx) => {
      const outcome = await ask(ctx, server).catch(
        (error: { name: string; code: unknown; message: string; data: unknown }) => ({
          failed: [error.name, error.code, error.message, error.data],
        }),
      );
      return text(JSON.stringify(outcome));
    });

const form = {
  type: "object" as const,
  properties: { name: { type: "string" as const } },
  required: ["name"],
};

const able = (answer: object = { action: "accept", content: { name: "Ann" } }): SideOptions => ({
  client: { capabilities: { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} } },
  prepare(client) {
    client.setRequestHandler("elicitation/create", () => answer as { action: "accept" });
    client.setRequestHandler("sampling/createMessage", ({ params }) => ({
      role: "assistant" as const,
      model: "m",
      content: { type: "text" as const, text: `${params.maxTokens}` },
    }));
    client.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///a" }] }));
  },
});

const sampling = {
  messages: [{ role: "user" as const, content: { type: "text" as const, text: "?" } }],
  maxTokens: 7,
};

describe("in 2025-11-25", () => {
  const eras = ["2025"] as const;
  compare([
    {
      title: "elicitInput returns the answer",
      register: asking(({ mcpReq }) => mcpReq.elicitInput({ message: "?", requestedSchema: form })),
      ask: call,
      shows: { answer: text('{"action":"accept","content":{"name":"Ann"}}') },
      options: able(),
      eras,
    },
    {
      title: "elicitInput opens pages",
      register: asking((_ctx, { server }) =>
        server.elicitInput({ mode: "url", message: "?", url: "https://example.com", elicitationId: "e" }),
      ),
      ask: call,
      shows: { answer: { content: [{ text: expect.stringContaining("accept") }] } },
      options: able({ action: "accept" }),
      eras,
    },
    {
      title: "elicitInput validates the answer",
      register: asking((_ctx, { server }) => server.elicitInput({ message: "?", requestedSchema: form })),
      ask: call,
      shows: {
        answer: {
          content: [
            {
              text: expect.stringContaining("Elicitation response content does not match requested schema: "),
            },
          ],
        },
      },
      options: able({ action: "accept", content: { name: 5 } }),
      eras,
    },
    {
      title: "elicitInput needs the client's capability",
      register: asking((_ctx, { server }) => server.elicitInput({ message: "?", requestedSchema: form })),
      ask: call,
      shows: {
        answer: text(
          '{"failed":["SdkError","CAPABILITY_NOT_SUPPORTED","Client does not support form elicitation.",null]}',
        ),
      },
      eras,
    },
    {
      title: "URL elicitation needs the client's capability",
      register: asking((_ctx, { server }) =>
        server.elicitInput({ mode: "url", message: "?", url: "https://example.com", elicitationId: "e" }),
      ),
      ask: call,
      shows: {
        answer: text(
          '{"failed":["SdkError","CAPABILITY_NOT_SUPPORTED","Client does not support url elicitation.",null]}',
        ),
      },
      options: { client: { capabilities: { elicitation: { form: {} } } } },
      eras,
    },
    {
      title: "createMessage returns the message",
      register: asking(({ mcpReq }) => mcpReq.requestSampling(sampling)),
      ask: call,
      shows: { answer: { content: [{ text: expect.stringContaining('"text":"7"') }] } },
      options: able(),
      eras,
    },
    {
      title: "createMessage with tools needs the capability",
      register: asking((_ctx, { server }) => server.createMessage({ ...sampling, tools: [] })),
      ask: call,
      shows: {
        answer: {
          content: [{ text: expect.stringContaining("Client does not support sampling tools capability.") }],
        },
      },
      options: { client: { capabilities: { sampling: {} } } },
      eras,
    },
    {
      title: "createMessage checks tool results",
      register: asking((_ctx, { server }) =>
        server.createMessage({
          messages: [{ role: "user", content: { type: "tool_result", toolUseId: "1", content: [] } }],
          maxTokens: 1,
        }),
      ),
      ask: call,
      shows: {
        answer: { content: [{ text: expect.stringContaining("tool_result blocks are not matching") }] },
      },
      options: able(),
      eras,
    },
    {
      title: "listRoots returns the roots",
      register: asking((_ctx, { server }) => server.listRoots()),
      ask: call,
      shows: { answer: text('{"roots":[{"uri":"file:///a"}]}') },
      options: able(),
      eras,
    },
    {
      title: "ping is answered",
      register: asking((_ctx, { server }) => server.ping()),
      ask: call,
      shows: { answer: text("{}") },
      eras,
    },
    {
      title: "send sends requests of MCP",
      register: asking(({ mcpReq }) => mcpReq.send({ method: "roots/list" })),
      ask: call,
      shows: { answer: text('{"roots":[{"uri":"file:///a"}]}') },
      options: able(),
      eras,
    },
    {
      title: "an error of the client keeps its code",
      register: asking((_ctx, { server }) => server.listRoots()),
      ask: call,
      shows: { answer: text('{"failed":["ProtocolError",-32601,"Method not found",null]}') },
      eras,
    },
    {
      title: "an error of the client keeps its data",
      register: asking((_ctx, { server }) => server.listRoots()),
      ask: call,
      shows: { answer: text('{"failed":["ProtocolError",-32055,"no","d"]}') },
      options: {
        client: { capabilities: { roots: {} } },
        prepare: (client) =>
          client.setRequestHandler("roots/list", () => {
            throw Object.assign(new Error("no"), { code: -32055, data: "d" });
          }),
      },
      eras,
    },
    {
      title: "strict capabilities are checked first",
      register: asking((_ctx, { server }) => server.listRoots()),
      ask: call,
      shows: {
        answer: text(
          '{"failed":["SdkError","CAPABILITY_NOT_SUPPORTED","Client does not support listing roots (required for roots/list)",null]}',
        ),
      },
      options: { server: { enforceStrictCapabilities: true } },
      eras,
    },
    {
      title: "a timeout is an SdkError",
      register: asking((_ctx, { server }) => server.listRoots(undefined, { timeout: 20 })),
      ask: call,
      shows: { answer: text('{"failed":["SdkError","REQUEST_TIMEOUT","Request timed out",{"timeout":20}]}') },
      options: {
        client: { capabilities: { roots: {} } },
        prepare: (client) => client.setRequestHandler("roots/list", () => new Promise(() => {})),
      },
      eras,
    },
    {
      title: "an aborted request is an SdkError",
      register: asking((_ctx, { server }) =>
        server.listRoots(undefined, { signal: AbortSignal.abort("stop") }),
      ),
      ask: call,
      shows: { answer: text('{"failed":["SdkError","REQUEST_TIMEOUT","stop",null]}') },
      options: able(),
      eras,
    },
    {
      title: "a completion notifier needs the capability",
      register: asking(async (_ctx, { server }) => server.createElicitationCompletionNotifier("e")),
      ask: call,
      shows: {
        answer: { content: [{ text: expect.stringContaining("Client does not support URL elicitation") }] },
      },
      eras,
    },
  ]);

  test("a completion notifier notifies the client", async () => {
    const heards = [];
    for (const side of await bothSides(() => undefined, able())) {
      await side.server().server.createElicitationCompletionNotifier("e1")();
      await expect.poll(() => side.heard.length).toBe(1);
      heards.push(plain(side.heard));
    }
    expect(heards[0]).toMatchObject([
      { method: "notifications/elicitation/complete", params: { elicitationId: "e1" } },
    ]);
    expect(heards[1]).toEqual(heards[0]);
  });

  test("requests outside callbacks reach the client", async () => {
    const [wanted, given] = await answersOf(
      () => undefined,
      async ({ server }) => server().server.listRoots(),
      able(),
    );
    expect(wanted).toEqual({ answer: { roots: [{ uri: "file:///a" }] } });
    expect(given).toEqual(wanted);
  });

  test("requests and notifications without a connection fail", async () => {
    for (const { sdk } of await bothSides(() => undefined)) {
      const { server } = new sdk.McpServer({ name: "a", version: "1" }, { capabilities: { tools: {} } });
      await expect(server.listRoots()).rejects.toThrow("Not connected");
      await expect(server.sendToolListChanged()).rejects.toThrow("Not connected");
    }
  });
});

describe("in 2026-07-28", () => {
  test.each([
    [
      "elicitInput",
      (_ctx: Ctx, { server }: Server) => server.elicitInput({ message: "?", requestedSchema: form }),
    ],
    ["createMessage", (_ctx: Ctx, { server }: Server) => server.createMessage(sampling)],
    ["listRoots", (_ctx: Ctx, { server }: Server) => server.listRoots()],
    ["ping", (_ctx: Ctx, { server }: Server) => server.ping()],
    ["send", async ({ mcpReq }: Ctx) => mcpReq.send({ method: "roots/list" })],
  ])("%s fails with the same code", async (_name, ask) => {
    for (const outcome of await answersOf(asking(ask), call, { ...able(), era: "2026" })) {
      expect(JSON.stringify(outcome)).toContain("METHOD_NOT_SUPPORTED_BY_PROTOCOL_VERSION");
    }
  });
});
