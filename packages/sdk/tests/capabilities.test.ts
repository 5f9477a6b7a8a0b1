/**
 * @fileoverview Capabilities that servers and clients declare, compared with both versions of the official SDK.
 * @module tests/sdk/capabilities
 */
import { completable } from "@modelcontextprotocol/sdk/server/completable.js";
import { EmptyResultSchema, SetLevelRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { Connection } from "tenon/host";
import { createClient } from "tenon/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  answersOf,
  bothSides,
  McpServer,
  outcomeOf,
  type Register,
  settle,
  type SideOptions,
} from "./support/both-sides.js";
import * as v2 from "./support/v2/both-sides.js";

const nothing: Register = () => undefined;
const empty = () => ({ content: [] });
const tool: Register = (server) => server.registerTool("tool", {}, empty);
const resource: Register = (server) => server.registerResource("a", "mem://a", {}, () => ({ contents: [] }));
const prompt: Register = (server) =>
  server.registerPrompt("p", { argsSchema: { a: completable(z.string(), () => ["x"]) } }, () => ({
    messages: [],
  }));

describe("capabilities of the server", () => {
  const SERVERS: readonly (readonly [string, Register, object | undefined, object])[] = [
    ["without registrations", nothing, undefined, {}],
    ["with a tool", tool, undefined, { tools: { listChanged: true } }],
    ["with a resource", resource, undefined, { resources: { listChanged: true } }],
    ["with completions", prompt, undefined, { prompts: { listChanged: true }, completions: {} }],
    [
      "with a disabled tool",
      (server) => server.registerTool("off", {}, empty).disable(),
      undefined,
      { tools: { listChanged: true } },
    ],
    [
      "with declared lists",
      nothing,
      { tools: {}, resources: { subscribe: true }, prompts: { listChanged: false } },
      {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
      },
    ],
    [
      "with other declared capabilities",
      tool,
      { logging: {}, completions: {}, experimental: { x: { y: 1 } }, tools: { listChanged: false } },
      { logging: {}, completions: {}, experimental: { x: { y: 1 } }, tools: { listChanged: true } },
    ],
    [
      "with capabilities that are registered later",
      (server) => {
        tool(server);
        server.server.registerCapabilities({ logging: {}, resources: { subscribe: true } });
      },
      undefined,
      { logging: {}, resources: { subscribe: true }, tools: { listChanged: true } },
    ],
  ];

  test.each(SERVERS)(
    "a server %s declares the same (drop-in B12)",
    async (_, register, capabilities, expected) => {
      const options: SideOptions = capabilities === undefined ? {} : { server: { capabilities } };
      const [wanted, given] = await bothSides(register, options);
      expect(wanted.client.getServerCapabilities()).toEqual(expected);
      expect(given.client.getServerCapabilities()).toEqual(expected);
    },
  );

  test("definitions that are added to the underlying server are declared too (drop-in B12)", async () => {
    const server = new McpServer({ name: "s", version: "1" });
    server.build().update((editor) => editor.tool("added", { handler: () => "" }));
    const client = await createClient(server.build());
    expect(client.server["capabilities"]).toEqual({ tools: { listChanged: true } });
    await client.close();
  });

  test("a client of revision 2026-07-28 sees the same capabilities (drop-in B12)", async () => {
    const server = new McpServer({ name: "s", version: "1" });
    server.registerResource("a", "mem://a", {}, () => ({ contents: [] }));
    const client = await createClient(server.build(), { revision: "2026-07-28" });
    expect(client.server["capabilities"]).toEqual({ resources: { listChanged: true } });
    await client.close();
  });
});

describe("methods that the application declares or handles", () => {
  const LOGGING: SideOptions = { server: { capabilities: { logging: {} } } };
  const later: Register = ({ server }) => server.registerCapabilities({ logging: {} });
  const own: Register = (server) => {
    later(server);
    server.server.setRequestHandler(SetLevelRequestSchema, () => ({}));
  };
  const log: Register = (server) =>
    server.registerTool("log", {}, async (extra) => {
      await server.sendLoggingMessage({ level: "info", data: "by the server" });
      await extra.sendNotification({
        method: "notifications/message",
        params: { level: "info", data: "by extra" },
      });
      return empty();
    });
  const level = { method: "logging/setLevel", params: { level: "error" } };
  const subscribe = { method: "resources/subscribe", params: { uri: "mem://a" } };
  const unsubscribe = { method: "resources/unsubscribe", params: { uri: "mem://a" } };
  const SUBSCRIBE: SideOptions = { server: { capabilities: { resources: { subscribe: true } } } };

  test.each<[string, { method: string }, Register, SideOptions, boolean]>([
    ["without `logging`", level, nothing, {}, false],
    ["with `logging`", level, nothing, LOGGING, true],
    ["with `logging` that is registered later", level, later, {}, false],
    ["with its own handler", level, own, {}, true],
    ["without a handler", subscribe, resource, {}, false],
    ["without a handler, but with the capability", subscribe, resource, SUBSCRIBE, false],
    ["without a handler, but with the capability", unsubscribe, resource, SUBSCRIBE, false],
  ])("a server %s handles %j in the same way (drop-in B12)", async (_, request, register, options, works) => {
    const [wanted, given] = await answersOf(
      register,
      ({ client }) => client.request(request, EmptyResultSchema),
      options,
    );
    expect(wanted).toMatchObject(works ? { answer: {} } : { refused: { code: -32601 } });
    expect(given).toEqual(wanted);
  });

  test("a fallback handler receives the methods that are not handled (drop-in B12)", async () => {
    const register: Register = ({ server }) => {
      server.fallbackRequestHandler = async ({ method }) => ({ method });
    };
    const [wanted, given] = await answersOf(register, ({ client }) =>
      client.request({ method: "resources/subscribe", params: { uri: "a:b" } }, z.looseObject({})),
    );
    expect(wanted).toEqual({ answer: { method: "resources/subscribe" } });
    expect(given).toEqual(wanted);
  });

  test.each([
    ["are not sent without the capability", {}, 0],
    ["are sent with the capability", LOGGING, 2],
  ])("log messages %s (drop-in B12)", async (_, options, count) => {
    const seen: unknown[] = [];
    for (const side of await bothSides(log, options)) {
      const outcome = await outcomeOf(side.client.callTool({ name: "log" }));
      const direct = await outcomeOf(
        side.server.server.notification({
          method: "notifications/message",
          params: { level: "info", data: "direct" },
        }),
      );
      await settle();
      seen.push({ outcome, direct, heard: side.heard });
    }
    expect(seen[0]).toMatchObject({ heard: { length: count === 0 ? 0 : 3 } });
    expect(seen[1]).toEqual(seen[0]);
    if (count === 0) {
      expect(JSON.stringify(seen[1])).toContain(
        "Server does not support logging (required for notifications/message)",
      );
    }
  });
});

describe("an empty `elicitation` of the client means forms", () => {
  const CAPABILITIES = [
    [{}, { form: {} }],
    [{ url: {} }, { url: {} }],
    [
      { form: {}, url: {} },
      { form: {}, url: {} },
    ],
    [{ form: { applyDefaults: true } }, { form: { applyDefaults: true } }],
  ] as const;

  test.each(CAPABILITIES)("version 1: %j (drop-in B1)", async (elicitation, expected) => {
    const found: unknown[] = [];
    const register: Register = (server) => {
      server.server.oninitialized = () => void found.push(server.server.getClientCapabilities());
      server.registerTool("look", {}, () => {
        found.push(server.server.getClientCapabilities());
        return empty();
      });
    };
    for (const { server, client } of await bothSides(register, { capabilities: { elicitation } })) {
      await client.callTool({ name: "look" });
      found.push(server.server.getClientCapabilities());
    }
    expect(found).toEqual(Array.from({ length: 6 }, () => ({ elicitation: expected })));
  });

  test("version 1: a client of revision 2026-07-28 (drop-in B1)", async () => {
    const found: unknown[] = [];
    const server = new McpServer({ name: "s", version: "1" });
    server.registerTool("look", {}, () => {
      found.push(server.server.getClientCapabilities());
      return empty();
    });
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
    };
    const params = { name: "look", arguments: {}, _meta };
    await server.build().handle({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, undefined, {
      connection: new Connection(),
    });
    expect(found).toEqual([{ elicitation: { form: {} } }]);
  });

  test.each(v2.ERAS)("version 2, %s: as in the official package (drop-in B1)", async (era) => {
    for (const [elicitation, expected] of CAPABILITIES) {
      const register: v2.Register = (server) =>
        server.registerTool("look", {}, (ctx) =>
          v2.text(JSON.stringify([server.server.getClientCapabilities(), ctx.mcpReq.envelope ?? null])),
        );
      const [wanted, given] = await v2.answersOf(
        register,
        ({ client }) => client.callTool({ name: "look" }),
        {
          era,
          client: { capabilities: { elicitation } },
        },
      );
      // In the stateless revision, the official package does not change what a request declares.
      const shown = JSON.stringify(era === "2025" ? expected : elicitation);
      expect(wanted).toMatchObject({
        answer: { content: [{ text: expect.stringContaining(`[{"elicitation":${shown}}`) }] },
      });
      expect(given).toEqual(wanted);
    }
  });

  test("forms are refused if the client declares something else (drop-in B1)", async () => {
    const texts: unknown[] = [];
    for (const { server } of await bothSides(nothing, { capabilities: { elicitation: { other: {} } } })) {
      const requestedSchema = { type: "object" as const, properties: {} };
      texts.push(await outcomeOf(server.server.elicitInput({ message: "?", requestedSchema })));
    }
    expect(texts[0]).toMatchObject({ refused: { message: "Client does not support form elicitation." } });
    expect(texts[1]).toEqual(texts[0]);
  });
});
