import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { logger, type LogRecord, McpError, rateLimiter, requestContextService } from "@tenon/app";
import { McpServer } from "@tenon/sdk";
import { createClient } from "tenon/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { z } from "zod";
import { linkTemplate } from "../support/template/canonical-template.js";

/** Exports that the echo tool's logic must have. */
interface EchoLogic {
  readonly ECHO_MODES: readonly string[];
  readonly EchoToolInputSchema: z.ZodObject;
  readonly EchoToolResponseSchema: z.ZodObject;
  echoToolLogic(params: object, context: object): Promise<Readonly<Record<string, unknown>>>;
}

type Register = (server: McpServer) => Promise<void>;
type Recorded = readonly [name: string, config: Readonly<Record<string, unknown>>, handler: Handler];
type Handler = (params: unknown, extra: unknown) => Promise<Readonly<Record<string, unknown>>>;

const folder = linkTemplate();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const load = (path: string) => import(/* @vite-ignore */ `${folder}/src/${path}`) as Promise<unknown>; // each caller casts it
const logged: LogRecord[] = [];
const context = requestContextService.createRequestContext({ operation: "test" });
let logic: EchoLogic;
let registerEchoTool: Register;
let registerEchoResource: Register;
let createMcpServer: () => Promise<McpServer>;

beforeAll(async () => {
  await logger.initialize("debug", {
    destination: { write: () => true },
    sinks: [{ write: (record) => logged.push(record) }],
  });
  logic = (await load("mcp-server/tools/echoTool/logic.ts")) as EchoLogic;
  ({ registerEchoTool } = (await load("mcp-server/tools/echoTool/index.ts")) as {
    registerEchoTool: Register;
  });
  ({ registerEchoResource } = (await load("mcp-server/resources/echoResource/index.ts")) as {
    registerEchoResource: Register;
  });
  ({ createMcpServer } = (await load("mcp-server/server.ts")) as {
    createMcpServer: () => Promise<McpServer>;
  });
});

beforeEach(() => void logged.splice(0));

const parse = (input: object) => logic.EchoToolInputSchema.parse(input);
const fresh = () => new McpServer({ name: "test", version: "1.0.0" });
const messages = () => logged.map(({ message }) => message);

/** Returns the arguments that the register function passes to the server. */
async function recordTool(): Promise<Recorded> {
  const calls: Recorded[] = [];
  const recorder = { registerTool: (...call: Recorded) => void calls.push(call) };
  await registerEchoTool(recorder as unknown as McpServer); // the only method it calls
  expect(calls).toHaveLength(1);
  return calls[0] ?? expect.fail("Nothing was registered.");
}

describe("the echo tool's schemas", () => {
  test("T13: define three modes", () => {
    expect(logic.ECHO_MODES).toEqual(["standard", "uppercase", "lowercase"]);
  });

  test.each([
    ["message", "The message to echo back. To trigger a test error, provide the exact message 'fail'."],
    ["mode", "Specifies how the message should be formatted. Defaults to 'standard'."],
    ["repeat", "The number of times to repeat the message. Defaults to 1."],
    ["includeTimestamp", "Whether to include an ISO 8601 timestamp in the response. Defaults to true."],
  ])("T14, T15, T16, T17: %s has its description", (field, description) => {
    expect(logic.EchoToolInputSchema.shape[field]).toMatchObject({ description });
    expect(Object.keys(logic.EchoToolInputSchema.shape)).toHaveLength(4);
  });

  test("T15, T16, T17: omitted fields have their defaults", () => {
    expect(parse({ message: "hi" })).toEqual({
      message: "hi",
      mode: "standard",
      repeat: 1,
      includeTimestamp: true,
    });
  });

  test.each([
    ["T14", { message: "" }, "Message cannot be empty."],
    ["T14", { message: "a".repeat(1001) }, "Message cannot exceed 1000 characters."],
    ["T14", { message: 1 }, undefined],
    ["T15", { message: "a", mode: "loud" }, undefined],
    ["T16", { message: "a", repeat: 0 }, undefined],
    ["T16", { message: "a", repeat: 11 }, undefined],
    ["T16", { message: "a", repeat: 1.5 }, undefined],
    ["T17", { message: "a", includeTimestamp: "yes" }, undefined],
  ])("%s: rejects %j", (_id, input, text) => {
    const { success, error } = logic.EchoToolInputSchema.safeParse(input);
    expect(success).toBe(false);
    if (text !== undefined) expect(error?.issues.map(({ message }) => message)).toEqual([text]);
  });

  test("T14, T16: accepts the limits themselves", () => {
    for (const repeat of [1, 10])
      expect(parse({ message: "a".repeat(1000), repeat })).toMatchObject({ repeat });
  });

  test("T18: every response field has its description", () => {
    const described = Object.entries(logic.EchoToolResponseSchema.shape).map(([field, schema]) => [
      field,
      (schema as z.ZodType).description,
    ]);
    expect(Object.fromEntries(described)).toEqual({
      originalMessage: "The original message provided in the input.",
      formattedMessage: "The message after applying the specified formatting mode.",
      repeatedMessage: "The formatted message repeated the specified number of times.",
      mode: "The formatting mode that was applied.",
      repeatCount: "The number of times the message was repeated.",
      timestamp: "Optional ISO 8601 timestamp of when the response was generated.",
    });
    const whole = {
      originalMessage: "a",
      formattedMessage: "a",
      repeatedMessage: "a",
      mode: "standard",
      repeatCount: 1,
    };
    const accepts = (more: object) => logic.EchoToolResponseSchema.safeParse({ ...whole, ...more }).success;
    expect(accepts({})).toBe(true);
    expect(accepts({ timestamp: "2026-01-15T12:00:00.000Z" })).toBe(true);
    for (const wrong of [{ repeatCount: 0 }, { repeatCount: 1.5 }, { timestamp: "noon" }, { mode: "loud" }]) {
      expect(accepts(wrong)).toBe(false);
    }
  });
});

describe("the echo tool's logic", () => {
  test.each([
    ["standard", "Ab Ab Ab"],
    ["uppercase", "AB AB AB"],
    ["lowercase", "ab ab ab"],
  ])("T20: mode %s repeats as %s", async (mode, repeatedMessage) => {
    const response = await logic.echoToolLogic(parse({ message: "Ab", mode, repeat: 3 }), context);
    expect(response).toMatchObject({
      originalMessage: "Ab",
      formattedMessage: repeatedMessage.slice(0, 2),
      repeatedMessage,
      mode,
      repeatCount: 3,
    });
  });

  test("T21: the timestamp is present only on request", async () => {
    const at = async (includeTimestamp: boolean) =>
      logic.echoToolLogic(parse({ message: "a", includeTimestamp }), context);
    expect(logic.EchoToolResponseSchema.safeParse(await at(true)).success).toBe(true);
    expect(await at(true)).toHaveProperty("timestamp");
    expect(await at(false)).not.toHaveProperty("timestamp");
  });

  test("T1, T19: throws a structured error on failure", async () => {
    const thrown: unknown = await logic
      .echoToolLogic(parse({ message: "fail" }), context)
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(McpError);
    expect(thrown).toMatchObject({
      code: "VALIDATION_ERROR",
      message: "Deliberate failure triggered: the message was 'fail'.",
      details: { toolName: "echo_message" },
    });
  });

  test("T4, T22: logs its steps with the complete context", async () => {
    await logic.echoToolLogic(parse({ message: "hi", repeat: 2 }), context);
    const input = { message: "hi", mode: "standard", repeat: 2, includeTimestamp: true };
    const summary = { messageLength: 5, timestampGenerated: true };
    expect(logged).toMatchObject([
      {
        level: "debug",
        message: "Processing echo message logic.",
        context: { ...context, toolInput: input },
      },
      {
        level: "debug",
        message: "Echo message processed successfully.",
        context: { ...context, responseSummary: summary },
      },
    ]);
  });
});

describe("the echo tool's registration", () => {
  test("T7, T23, T25: registers a name, metadata, schema shapes, and a handler", async () => {
    const [name, config, handler] = await recordTool();
    expect(name).toBe("echo_message");
    expect(config).toEqual({
      title: "Echo Message",
      description: "Echoes a message back with optional formatting and repetition.",
      inputSchema: logic.EchoToolInputSchema.shape,
      outputSchema: logic.EchoToolResponseSchema.shape,
      annotations: { readOnlyHint: true, openWorldHint: false },
    });
    expect(handler).toBeTypeOf("function");
  });

  test("T3, T4, T9, T24: logs before and after the registration with the same context, and does not run the logic", async () => {
    await registerEchoTool(fresh());
    expect(messages()).toEqual([
      "Registering tool: 'echo_message'",
      "Tool 'echo_message' registered successfully.",
    ]);
    const [first, last] = logged.map((record) => record.context);
    expect(first).toMatchObject({
      operation: "RegisterTool",
      toolName: "echo_message",
      requestId: expect.any(String),
    });
    expect(last).toEqual(first);
  });

  test("T29: a failure is logged as critical with its operation, and thrown as INITIALIZATION_FAILED", async () => {
    const server = fresh();
    await registerEchoTool(server);
    await expect(registerEchoTool(server)).rejects.toMatchObject({ code: "INITIALIZATION_FAILED" });
    expect(logged.at(-1)).toMatchObject({
      level: "crit",
      message: expect.stringMatching(/^Error in RegisteringTool_echo_message: /),
      context: { operation: "RegisterTool", toolName: "echo_message" },
      data: { critical: true, errorCode: "INITIALIZATION_FAILED" },
    });
  });

  test("T3, T26: every call has its own child context", async () => {
    const [, , handler] = await recordTool();
    logged.length = 0;
    const params = parse({ message: "hi" });
    for (const requestId of [7, 8]) await handler(params, { requestId });
    const contexts = logged.map((record) => record.context as Readonly<Record<string, unknown>>); // contexts are always objects
    expect(contexts[0]).toMatchObject({
      operation: "HandleToolRequest",
      toolName: "echo_message",
      input: params,
      parentRequestId: "7",
    });
    expect(new Set(contexts.map(({ requestId }) => requestId)).size).toBe(2);
  });

  test("T27: a success result contains structured content and the same data as text", async () => {
    const [, , handler] = await recordTool();
    const result = await handler(parse({ message: "hi", includeTimestamp: false }), {});
    const structuredContent = {
      originalMessage: "hi",
      formattedMessage: "hi",
      repeatedMessage: "hi",
      mode: "standard",
      repeatCount: 1,
    };
    const text = `Success: ${JSON.stringify(structuredContent, null, 2)}`;
    expect(result).toEqual({ structuredContent, content: [{ type: "text", text }] });
  });

  test("T2, T28: a failure is caught, logged once with its input, and returned as text and structured content", async () => {
    const [, , handler] = await recordTool();
    logged.length = 0;
    const message = "Deliberate failure triggered: the message was 'fail'.";
    expect(await handler(parse({ message: "fail" }), {})).toEqual({
      isError: true,
      content: [{ type: "text", text: `Error: ${message}` }],
      structuredContent: { code: "VALIDATION_ERROR", message, details: { toolName: "echo_message" } },
    });
    expect(logged.filter(({ level }) => level !== "debug")).toMatchObject([
      {
        level: "error",
        message: `Error in tool:echo_message: ${message}`,
        context: { operation: "HandleToolRequest" },
        data: { input: { message: "fail" } },
      },
    ]);
  });
});

describe("the template's server", () => {
  test("T6: registers every tool and resource", async () => {
    const client = await createClient((await createMcpServer()).build());
    expect((await client.listTools()).map(({ name }) => name)).toEqual([
      "echo_message",
      "get_temperature",
      "save_note",
      "search_notes",
    ]);
    expect((await client.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate)).toEqual([
      "echo://{message}",
    ]);
  });

  test("T35: every tool has a title, and every tool and field has a full sentence as its description", async () => {
    const client = await createClient((await createMcpServer()).build());
    for (const tool of await client.listTools()) {
      const fields = [tool.inputSchema, tool.outputSchema].flatMap((schema) =>
        Object.values(schema?.["properties"] as Readonly<Record<string, { readonly description?: string }>>),
      );
      expect(fields.length).toBeGreaterThan(3);
      expect(tool.title).toMatch(/^[A-Z]\w+ [A-Z]\w+$/);
      for (const { description } of [tool, ...fields]) expect(description).toMatch(/^[A-Z].{15,200}\.$/);
    }
  });

  test("T4, T10, T50: a call passes validation, receives a child context, and runs the logic", async () => {
    const client = await createClient((await createMcpServer()).build());
    logged.length = 0;
    const refused = await client.callTool("echo_message", { message: "" });
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("Message cannot be empty.") }],
    });
    expect(messages()).not.toContain("Processing echo message logic.");
    logged.length = 0;
    const { structuredContent } = await client.callTool("echo_message", { message: "hi" });
    expect(structuredContent).toMatchObject({ originalMessage: "hi", mode: "standard" });
    expect(messages()).toEqual([
      "Processing echo message logic.",
      "Echo message processed successfully.",
      "tools/call echo_message succeeded.",
    ]);
    for (const record of logged) expect(record.context).toMatchObject({ requestId: expect.any(String) });
  });

  test("T42, T43: the guarded tool checks the scope, then the rate limit, and reports which one failed", async () => {
    const server = (await createMcpServer()).build();
    const call = async (scopes: readonly string[]) => {
      const client = await createClient(server, { auth: { principal: "eve", scopes } });
      return (await client.callTool("get_temperature", { latitude: 0, longitude: 0 })).content;
    };
    rateLimiter.configure({ limit: 1 });
    rateLimiter.check("get_temperature eve");
    const refusal = "Error: Insufficient permissions. Missing required scopes: weather:read";
    expect(await call(["other"])).toEqual([{ type: "text", text: refusal }]);
    const limited = expect.stringMatching(/^Error: Rate limit exceeded\. Please try again in \d+ seconds\.$/);
    expect(await call(["weather:read"])).toEqual([{ type: "text", text: limited }]);
  });

  test("T31: resources are registered with a name, template, metadata, and handler, and return blobs", async () => {
    const calls: unknown[][] = [];
    const recorder = { resource: (...call: unknown[]) => void calls.push(call) };
    await registerEchoResource(recorder as unknown as McpServer); // the only method it calls
    expect(calls).toEqual([
      [
        "echo",
        expect.objectContaining({}),
        expect.objectContaining({ mimeType: "application/json" }),
        expect.any(Function),
      ],
    ]);
    const client = await createClient((await createMcpServer()).build());
    const { contents } = await client.readResource("echo://hi");
    const blob = Buffer.from('{"message":"hi","requestUri":"echo://hi"}').toString("base64");
    expect(contents).toEqual([{ uri: "echo://hi", blob, mimeType: "application/json" }]);
  });

  test("T47, T28: serves on the official StreamableHTTPServerTransport, from initialize to cleanup", async () => {
    const server = await createMcpServer();
    const wire = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
    await server.connect(wire);
    const http = createServer((request, response) => void wire.handleRequest(request, response)).listen(
      0,
      "127.0.0.1",
    );
    onTestFinished(() => void http.close());
    await once(http, "listening");
    const { port } = http.address() as AddressInfo;
    const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`));
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(transport);
    await client.listTools();
    const failed = await client.callTool({ name: "echo_message", arguments: { message: "fail" } });
    expect(failed).toMatchObject({
      isError: true,
      _meta: { "tenon/structuredError": { code: "VALIDATION_ERROR", details: { toolName: "echo_message" } } },
    });
    expect(failed.structuredContent).toBeUndefined();
    await transport.terminateSession();
    await client.close();
    expect(server.isConnected()).toBe(false);
  });
});
