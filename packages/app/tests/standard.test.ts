import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createRequestContextService } from "../src/context/request-context-service.js";
import { withRequiredScopes } from "../src/context/required-scopes.js";
import { currentCall } from "../src/context/scope.js";
import { clientSink } from "../src/logging/client-sink.js";
import { createLogger, type LoggerOptions } from "../src/logging/logger.js";
import type { LogRecord } from "../src/logging/log-writer.js";
import { standard, type StandardOptions } from "../src/standard.js";
import { defineServer } from "../../tenon/src/core/define-server.js";
import { isPromise } from "@tenon/internal/maybe-promise";
import { McpError } from "tenon/protocol";
import { createClient } from "../../tenon/src/testing/index.js";

async function setUp(options: LoggerOptions = {}, more: StandardOptions = {}) {
  const records: LogRecord[] = [];
  const logger = await createLogger({
    destination: { write: (line) => records.push(JSON.parse(line) as LogRecord) },
    ...options,
  });
  const contextService = createRequestContextService();
  const builder = defineServer({ name: "x", version: "1" }).use(
    standard({ logger, contextService, ...more }),
  );
  return { records, logger, contextService, builder };
}

const call = (name: string, args: object = {}) => ({
  jsonrpc: "2.0" as const,
  id: 1,
  method: "tools/call",
  params: { name, arguments: args },
});

describe("the standard middleware", () => {
  test("T3, T4: provides the context, call, and caller to every operation, even after an await", async () => {
    const { builder, contextService, logger, records } = await setUp();
    const server = builder.tool("who", {
      handler: async (_args, own) => {
        await new Promise((resolve) => setTimeout(resolve, 2));
        logger.info("at work");
        expect(currentCall()).toBe(own);
        return `${currentCall()?.auth?.principal} ${contextService.current()?.operation}`;
      },
    });
    const client = await createClient(server, { auth: { principal: "ada", scopes: [] } });
    const { content } = await client.callTool("who");
    expect(content).toEqual([{ type: "text", text: "ada tools/call" }]);
    expect(records).toMatchObject([
      { message: "at work", context: { operation: "tools/call", toolName: "who", principal: "ada" } },
    ]);
    expect(contextService.current()).toBeUndefined();
    expect(currentCall()).toBeUndefined();
  });

  test("isolates concurrent requests", async () => {
    const { builder, contextService } = await setUp();
    const server = builder
      .tool("id", {
        handler: async () => {
          const before = contextService.current()?.requestId;
          await new Promise((resolve) => setTimeout(resolve, 3));
          return before === contextService.current()?.requestId ? String(before) : "mixed";
        },
      })
      .build();
    const replies = await Promise.all(
      Array.from({ length: 50 }, async () => (await server.handle(call("id"), undefined)).toText()),
    );
    expect(new Set(replies).size).toBe(50);
    expect(replies.join()).not.toContain("mixed");
  });

  test("keeps synchronous handlers synchronous", async () => {
    const { builder } = await setUp({ level: "debug" }, { limiter: { check: () => undefined } });
    const server = builder.tool("now", { handler: () => "hi" }).build();
    expect(isPromise(server.handle(call("now"), undefined))).toBe(false);
  });

  test("adds the request's trace to its context", async () => {
    const { builder, contextService } = await setUp();
    const server = builder
      .tool("trace", { handler: () => String(contextService.current()?.traceparent) })
      .build();
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const request = { ...call("trace"), params: { name: "trace", _meta: { traceparent } } };
    const reply = (await server.handle(request, undefined)).toText();
    expect(reply).toMatch(/00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01/);
    expect(reply).not.toContain("00f067aa0ba902b7");
  });
});

describe("its log entries", () => {
  const failures = {
    refused: () => {
      throw new McpError("VALIDATION_ERROR", "The city is empty.");
    },
    crashed: () => {
      throw new Error("boom");
    },
  };

  test.each([false, true])(
    "one entry per operation, at the level of its outcome (async: %s)",
    async (isLate) => {
      const { builder, records } = await setUp({ level: "debug" });
      const late = <T>(task: () => T) => (isLate ? async () => task() : task);
      const server = builder
        .tool("fine", { handler: late(() => "ok") })
        .tool("refused", { handler: late(failures.refused) })
        .tool("crashed", { handler: late(failures.crashed) })
        .tool("answered", {
          handler: late(() => ({ isError: true, content: [], structuredContent: { code: "CONFLICT" } })),
        })
        .build();
      for (const name of ["fine", "refused", "crashed", "answered"])
        await server.handle(call(name), undefined);
      const ms = expect.any(Number) as number;
      expect(records.map(({ level, message, data }) => [level, message, data])).toMatchObject([
        ["debug", "tools/call fine succeeded.", { durationMs: ms, isSuccess: true }],
        [
          "notice",
          "tools/call refused failed.",
          { durationMs: ms, isSuccess: false, errorCode: "VALIDATION_ERROR" },
        ],
        [
          "error",
          "tools/call crashed failed.",
          { isSuccess: false, errorCode: "INTERNAL_ERROR", error: { message: "boom" } },
        ],
        ["debug", "tools/call answered failed.", { isSuccess: false, errorCode: "CONFLICT" }],
      ]);
      expect(
        records.every(({ context }) => typeof (context as { requestId: unknown }).requestId === "string"),
      ).toBe(true);
    },
  );

  test("at info a success creates no entry and no context", async () => {
    let made = 0;
    const contextService = createRequestContextService({ ports: { now: () => ++made } });
    const { builder, records } = await setUp({}, { contextService });
    const server = builder.tool("fine", { handler: () => "ok" }).build();
    await server.handle(call("fine"), undefined);
    expect([records.length, made]).toEqual([0, 0]);
  });

  test("entries contain no arguments", async () => {
    const { builder, records } = await setUp({ level: "debug" });
    const server = builder
      .tool("say", { input: z.object({ text: z.string() }), handler: failures.crashed })
      .build();
    await server.handle(call("say", { text: "hunter22" }), undefined);
    expect(JSON.stringify(records)).not.toContain("hunter22");
  });
});

describe("a limiter", () => {
  const limited = new McpError("RATE_LIMITED", "Rate limit exceeded. Please try again in 3 seconds.");

  test.each([
    [
      "synchronously",
      () => {
        throw limited;
      },
    ],
    ["later", () => Promise.reject(limited)],
  ])("that rejects %s prevents the handler from running", async (_name, check) => {
    let ran = false;
    const { builder, records } = await setUp({}, { limiter: { check } });
    const server = builder.tool("busy", {
      handler: () => {
        ran = true;
      },
    });
    const result = await (await createClient(server)).callTool("busy");
    expect(result).toMatchObject({ isError: true, content: [{ text: limited.message }] });
    expect(ran).toBe(false);
    expect(records).toMatchObject([{ level: "notice", data: { errorCode: "RATE_LIMITED" } }]);
  });
});

describe("withRequiredScopes", () => {
  async function ask(auth?: { readonly principal: string; readonly scopes: readonly string[] }) {
    const { builder } = await setUp();
    let thrown: unknown;
    const server = builder.tool("read", {
      handler: async () => {
        await Promise.resolve();
        try {
          withRequiredScopes(["notes:read", "notes:list"]);
        } catch (error) {
          thrown = error;
          throw error;
        }
        return "ok";
      },
    });
    const client = await createClient(server, auth === undefined ? {} : { auth });
    return { result: await client.callTool("read"), thrown };
  }

  test("T42: a caller with every scope passes", async () => {
    const { result } = await ask({ principal: "ada", scopes: ["notes:list", "notes:read", "x"] });
    expect(result.isError).toBeUndefined();
  });

  test("T42: the error lists the missing scopes", async () => {
    const { result, thrown } = await ask({ principal: "ada", scopes: ["notes:read"] });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: "Insufficient permissions. Missing required scopes: notes:list" }],
    });
    expect(thrown).toMatchObject({
      code: "FORBIDDEN",
      details: { requiredScopes: ["notes:read", "notes:list"], missingScopes: ["notes:list"] },
    });
  });

  test("T42: without authorization every caller passes, as with a tool's own scopes", async () => {
    expect((await ask()).result.isError).toBeUndefined();
  });

  test("T42: outside of a request it throws an internal error", () => {
    expect(() => withRequiredScopes(["a"])).toThrow(
      expect.objectContaining({
        code: "INTERNAL_ERROR",
        message: "Authentication context is missing. This indicates a server configuration error.",
      }),
    );
  });
});

describe("log messages to the client", () => {
  test("sends a limited number of entries to the calling client, without context and data", async () => {
    const { builder, logger } = await setUp({
      level: "error",
      sinks: [clientSink({ maxEntries: 3, name: "shop" })],
    });
    const server = builder.tool("talk", {
      handler: async () => {
        logger.debug("too light");
        logger.info("one, with token=hunter22", undefined, { secret: "x" });
        await Promise.resolve();
        for (let count = 0; count < 10; count++)
          logger.crit("more", undefined, { error: new Error("inside") });
        throw new Error("outside of the scope");
      },
    });
    const client = await createClient(server);
    await client.callTool("talk");
    logger.crit("after the call");
    const messages = client.notifications.filter(({ method }) => method === "notifications/message");
    const requestId = expect.any(String) as string;
    expect(messages.map(({ params }) => params)).toEqual([
      { level: "info", logger: "shop", data: { message: "one, with token=[REDACTED]", requestId } },
      { level: "critical", logger: "shop", data: { message: "more", requestId } },
      { level: "critical", logger: "shop", data: { message: "more", requestId } },
    ]);
  });
});
