import * as api from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  type HistogramMetricData,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { traceHeaders } from "../../src/context/request-context.js";
import { requestContextService } from "../../src/context/request-context-service.js";
import { createLogger, type ContextLogger } from "../../src/logging/logger.js";
import { standard } from "../../src/standard.js";
import { loadTelemetry } from "../../src/telemetry/telemetry.js";
import { defineServer } from "../../../tenon/src/core/define-server.js";
import { errorResult } from "../../../tenon/src/core/definitions/results/tool-result.js";
import { LATEST_LEGACY, McpError, MODERN_REVISIONS, type Revision } from "tenon/protocol";
import { createClient } from "../../../tenon/src/testing/index.js";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";
const spans = new InMemorySpanExporter();
const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 1_000_000 });
const tracing = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
const metrics = new MeterProvider({ readers: [reader] });
let logger: ContextLogger;

beforeAll(async () => {
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  api.trace.setGlobalTracerProvider(tracing);
  api.metrics.setGlobalMeterProvider(metrics);
  logger = await createLogger({ destination: { write: () => undefined } });
});
afterEach(() => {
  spans.reset();
});
afterAll(async () => {
  await metrics.shutdown();
  api.trace.disable();
  api.metrics.disable();
  api.context.disable();
});

async function serverWith(headers: Record<string, string>[] = []) {
  const telemetry = await loadTelemetry();
  return defineServer({ name: "x", version: "1" })
    .use(standard({ logger, telemetry }))
    .tool("add", {
      input: z.object({ a: z.number() }),
      handler: async ({ a }) => {
        await Promise.resolve();
        const current = requestContextService.current();
        if (current !== undefined) headers.push({ ...traceHeaders(current) });
        tracing.getTracer("inner").startSpan("inner").end();
        return `sum ${a}`;
      },
    })
    .tool("refuse", { handler: () => errorResult("no") })
    .tool("crash", {
      handler: () => {
        throw new Error("hunter22");
      },
    })
    .resource("note", {
      uri: "note://one",
      handler: () => {
        throw new McpError("NOT_FOUND", "hunter22");
      },
    })
    .build();
}

const request = (method: string, params: object, meta: object = {}) => ({
  jsonrpc: "2.0" as const,
  id: 7,
  method,
  params: { ...params, _meta: meta },
});

const finished = () => spans.getFinishedSpans();
const outer = () => finished().filter(({ name }) => name !== "inner");

describe("spans", () => {
  test("a tool call creates a server span with the conventional attributes and no content", async () => {
    const server = await serverWith();
    await server.handle(request("tools/call", { name: "add", arguments: { a: 41 } }), undefined);
    const [span] = outer();
    expect(span?.name).toBe("tools/call add");
    expect(span?.kind).toBe(api.SpanKind.SERVER);
    expect(span?.attributes).toEqual({
      "mcp.method.name": "tools/call",
      "mcp.protocol.version": expect.any(String) as string,
      "gen_ai.tool.name": "add",
      "gen_ai.operation.name": "execute_tool",
      "jsonrpc.request.id": "7",
    });
    expect(span?.status.code).toBe(api.SpanStatusCode.UNSET);
    const [inner] = finished().filter(({ name }) => name === "inner");
    expect(inner?.parentSpanContext?.spanId).toBe(span?.spanContext().spanId);
  });

  test("continues the client's trace, links the transport's span, and sets `traceparent`", async () => {
    const headers: Record<string, string>[] = [];
    const server = await serverWith(headers);
    const http = tracing.getTracer("http").startSpan("POST");
    await api.context.with(api.trace.setSpan(api.context.active(), http), () =>
      server.handle(
        request(
          "tools/call",
          { name: "add", arguments: { a: 1 } },
          { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: "v=1" },
        ),
        undefined,
      ),
    );
    const [span] = outer();
    expect(span?.spanContext().traceId).toBe(TRACE);
    expect(span?.parentSpanContext).toMatchObject({ spanId: SPAN, isRemote: true });
    expect(span?.links.map(({ context }) => context.spanId)).toEqual([http.spanContext().spanId]);
    expect(headers[0]).toMatchObject({ traceparent: `00-${TRACE}-${span?.spanContext().spanId}-01` });
  });

  test.each(["refuse", "crash"])("a failing tool (%s) is a tool_error without its message", async (name) => {
    const server = await serverWith();
    await server.handle(request("tools/call", { name }), undefined);
    const [span] = outer();
    expect(span?.attributes["error.type"]).toBe("tool_error");
    expect(span?.attributes).not.toHaveProperty("rpc.response.status_code");
    expect(span?.status).toEqual({ code: api.SpanStatusCode.ERROR });
    expect(JSON.stringify([span?.attributes, span?.events])).not.toContain("hunter22");
  });

  test.each<[string, Revision, string]>([
    ["legacy", LATEST_LEGACY, "-32002"],
    ["modern", MODERN_REVISIONS[0] ?? LATEST_LEGACY, "-32602"],
  ])(
    "a failing resource (%s) has its error code, and its URI in the span only",
    async (_era, revision, code) => {
      const client = await createClient(await serverWith(), { revision });
      await expect(client.readResource("note://one")).rejects.toMatchObject({ code: Number(code) });
      const [span] = outer();
      expect(span?.name).toBe("resources/read");
      expect(span?.attributes).toMatchObject({
        "mcp.resource.uri": "note://one",
        "mcp.protocol.version": revision,
        "error.type": code,
        "rpc.response.status_code": code,
      });
    },
  );
});

describe("metrics", () => {
  test("records durations in the conventional buckets", async () => {
    const server = await serverWith();
    await server.handle(request("tools/call", { name: "add", arguments: { a: 1 } }), undefined);
    await server.handle(request("tools/call", { name: "crash" }), undefined);
    await reader.forceFlush();
    const all =
      measured
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
    const found = all.find(
      ({ descriptor }) => descriptor.name === "mcp.server.operation.duration",
    ) as HistogramMetricData;
    expect(found.descriptor.unit).toBe("s");
    expect(found.dataPoints[0]?.value.buckets.boundaries).toEqual([
      0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300,
    ]);
    const crash = found.dataPoints.find(({ attributes }) => attributes["gen_ai.tool.name"] === "crash");
    expect(crash?.attributes).toEqual({
      "mcp.method.name": "tools/call",
      "mcp.protocol.version": expect.any(String) as string,
      "gen_ai.tool.name": "crash",
      "gen_ai.operation.name": "execute_tool",
      "error.type": "tool_error",
    });
    expect(found.dataPoints.every(({ attributes }) => !("mcp.resource.uri" in attributes))).toBe(true);
  });
});
