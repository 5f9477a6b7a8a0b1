import { Client as SdkClient } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createRequestContextService } from "../../src/context/request-context-service.js";
import type { RequestContext } from "../../src/context/request-context.js";
import { currentCall } from "../../src/context/scope.js";
import { createErrorHandler } from "../../src/errors/error-handler.js";
import { createLogger } from "../../src/logging/logger.js";
import type { LogRecord } from "../../src/logging/log-writer.js";
import { standard } from "../../src/standard.js";
import { defineToolHandler } from "../../src/tools/define-tool-handler.js";
import { defineServer } from "../../../tenon/src/core/define-server.js";
import { form } from "../../../tenon/src/core/call/forms.js";
import { LATEST_LEGACY, McpError, MODERN_REVISIONS } from "tenon/protocol";
import { createClient } from "../../../tenon/src/testing/index.js";

const Input = z.object({ message: z.string() });
const Output = z.object({ echoed: z.string() });

async function setUp() {
  const lines: LogRecord[] = [];
  const logger = await createLogger({
    destination: { write: (line) => lines.push(JSON.parse(line) as LogRecord) },
  });
  const contextService = createRequestContextService();
  const contexts: RequestContext[] = [];
  const handler = defineToolHandler({
    toolName: "echo",
    errorHandler: createErrorHandler({ logger }),
    contextService,
    logic({ message }: z.infer<typeof Input>, context) {
      contexts.push(context);
      if (message === "fail")
        throw new McpError("VALIDATION_ERROR", "Deliberate failure.", { toolName: "echo" });
      if (message === "crash") throw new Error("connect to db.internal failed");
      return message === "late" ? Promise.resolve({ echoed: message }) : { echoed: message };
    },
  });
  return { lines, logger, contexts, contextService, handler };
}

const SUCCESS = {
  structuredContent: { echoed: "hi" },
  content: [{ type: "text", text: 'Success: {\n  "echoed": "hi"\n}' }],
};
const FAILURE = {
  isError: true,
  content: [{ type: "text", text: "Error: Deliberate failure." }],
  structuredContent: {
    code: "VALIDATION_ERROR",
    message: "Deliberate failure.",
    details: { toolName: "echo" },
  },
};

describe("defineToolHandler", () => {
  test("T27: returns the result as data and as text, synchronously if the logic is", async () => {
    const { handler } = await setUp();
    expect(handler({ message: "hi" })).toEqual(SUCCESS);
    const late = handler({ message: "late" });
    expect(late).toBeInstanceOf(Promise);
    expect(await late).toMatchObject({ structuredContent: { echoed: "late" } });
  });

  test("T1, T2, T28: logs an error once and returns its code, message, and details", async () => {
    const { handler, lines, contexts } = await setUp();
    expect(handler({ message: "fail" })).toEqual(FAILURE);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: "error",
      message: "Error in tool:echo: Deliberate failure.",
      context: { requestId: contexts[0]?.requestId, operation: "HandleToolRequest" },
      data: { input: { message: "fail" } },
    });
  });

  test("C13: an unexpected error does not reveal internals", async () => {
    const { handler } = await setUp();
    expect(handler({ message: "crash" })).toEqual({
      isError: true,
      content: [{ type: "text", text: "Error: Error in tool:echo: An unexpected error occurred." }],
      structuredContent: {
        code: "INTERNAL_ERROR",
        message: "Error in tool:echo: An unexpected error occurred.",
      },
    });
  });

  test("returns an error if the result cannot be represented in JSON", async () => {
    const { logger } = await setUp();
    const options = { toolName: "big", errorHandler: createErrorHandler({ logger }) };
    expect(defineToolHandler({ ...options, logic: () => ({ n: 1n }) })({})).toMatchObject({ isError: true });
    const late = defineToolHandler({ ...options, logic: async () => ({ n: 1n }) });
    expect(await late({})).toMatchObject({ isError: true });
  });

  test("T9, T10, T26, C12: on Tenon the logic runs only when called, in a child of the request's context", async () => {
    const { handler, contexts, contextService, logger } = await setUp();
    let outer: RequestContext | undefined;
    const server = defineServer({ name: "x", version: "1" })
      .use(standard({ logger, contextService }))
      .use((_operation, next) => {
        outer = contextService.current();
        return next();
      })
      .tool("echo", { input: Input, output: Output, handler });
    const client = await createClient(server);
    expect(contexts).toEqual([]);
    expect(await client.callTool("echo", { message: "hi" })).toMatchObject(SUCCESS);
    expect(contexts[0]).toMatchObject({
      parentRequestId: outer?.requestId,
      operation: "HandleToolRequest",
      toolName: "echo",
      input: { message: "hi" },
    });
    expect(contexts[0]?.requestId).not.toBe(outer?.requestId);
    const { structuredContent, ...failure } = await client.callTool("echo", { message: "fail" });
    expect(structuredContent).toBeUndefined();
    expect(failure).toMatchObject({ isError: true, content: FAILURE.content });
  });

  test("T10, T28: the same handler works on the official SDK", async () => {
    const { handler, contexts } = await setUp();
    const server = new McpServer({ name: "x", version: "1" });
    server.registerTool("echo", { inputSchema: Input.shape }, handler);
    const [here, there] = InMemoryTransport.createLinkedPair();
    const client = new SdkClient({ name: "probe", version: "1" });
    await Promise.all([server.connect(here), client.connect(there)]);
    expect(await client.callTool({ name: "echo", arguments: { message: "hi" } })).toEqual(SUCCESS);
    expect(await client.callTool({ name: "echo", arguments: { message: "fail" } })).toEqual(FAILURE);
    expect(contexts[0]?.parentRequestId).toMatch(/^\d+$/);
    expect(contexts[0]).not.toHaveProperty("signal");
    await client.close();
  });

  test("a request for user input is not a failure and is not logged", async () => {
    const { logger, lines, contextService } = await setUp();
    const handler = defineToolHandler({
      toolName: "ask",
      contextService,
      errorHandler: createErrorHandler({ logger }),
      async logic() {
        const answer = await currentCall()?.input(
          "name",
          form({ message: "Who?", schema: z.object({ name: z.string() }) }),
        );
        return { action: answer?.action };
      },
    });
    const server = defineServer({ name: "x", version: "1" })
      .use(standard({ logger, contextService }))
      .tool("ask", { handler });
    const revision = MODERN_REVISIONS[0] ?? LATEST_LEGACY;
    const client = await createClient(server, { revision, input: () => ({ action: "decline" }) });
    expect(await client.callTool("ask")).toMatchObject({ structuredContent: { action: "decline" } });
    expect(lines).toEqual([]);
  });
});
