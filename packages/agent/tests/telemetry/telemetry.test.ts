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
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { McpError } from "tenon/protocol";
import { ModelError } from "../../src/models/model-port.js";
import { type AgentTelemetry, NO_TELEMETRY } from "../../src/telemetry/agent-telemetry.js";
import { loadAgentTelemetry } from "../../src/telemetry/load-telemetry.js";

const SECRET = "hunter22";
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const spans = new InMemorySpanExporter();
const tracing = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
let measured: InMemoryMetricExporter;
let metrics: MeterProvider;
let telemetry: AgentTelemetry;
let time = 0;

beforeAll(() => {
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  api.trace.setGlobalTracerProvider(tracing);
});
beforeEach(async () => {
  // Loaded before the meter provider is registered, as in an application that starts its SDK late.
  time = 0;
  telemetry = await loadAgentTelemetry({ now: () => time });
  measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 1_000_000 });
  metrics = new MeterProvider({ readers: [reader] });
  api.metrics.setGlobalMeterProvider(metrics);
});
afterEach(async () => {
  spans.reset();
  api.metrics.disable();
  await metrics.shutdown();
});
afterAll(() => {
  api.trace.disable();
  api.context.disable();
});

/** Returns the finished span with a name. */
function spanOf(name: string): ReadableSpan {
  const found = spans.getFinishedSpans().filter((span) => span.name === name);
  expect(found.map((span) => span.name)).toEqual([name]);
  return found[0] ?? expect.fail(name);
}

const parentOf = (span: ReadableSpan) => span.parentSpanContext?.spanId;
const idOf = (span: ReadableSpan) => span.spanContext().spanId;
const work = (name: string) => tracing.getTracer("inner").startSpan(name).end();

/** Returns the data points of a histogram. */
async function pointsOf(name: string) {
  await metrics.forceFlush();
  const all = measured.getMetrics().at(-1)?.scopeMetrics ?? [];
  const found = all.flatMap((scope) => scope.metrics).find(({ descriptor }) => descriptor.name === name);
  const { descriptor, dataPoints } = found as HistogramMetricData;
  return {
    unit: descriptor.unit,
    boundaries: dataPoints[0]?.value.buckets.boundaries,
    points: dataPoints.map(({ attributes, value }) => ({ attributes, sum: value.sum, count: value.count })),
  };
}

async function* pieces(...all: readonly string[]) {
  for (const piece of all) {
    await Promise.resolve();
    work(`piece ${piece}`);
    yield piece;
  }
}

describe("spans", () => {
  test("a run is an internal span with the conventional attributes", () => {
    const run = telemetry.startRun({
      taskId: "task-1",
      agentName: "Notes",
      userId: "ann",
      model: "gpt-5-mini",
      provider: "openai",
    });
    run.end({ reason: "completed", usage: { inputTokens: 30, outputTokens: 12, cachedInputTokens: 20 } });
    const span = spanOf("invoke_agent Notes");
    expect(span.kind).toBe(api.SpanKind.INTERNAL);
    expect(span.status).toEqual({ code: api.SpanStatusCode.UNSET });
    expect(span.attributes).toEqual({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-5-mini",
      "gen_ai.agent.name": "Notes",
      "gen_ai.conversation.id": "task-1",
      "gen_ai.usage.input_tokens": 30,
      "gen_ai.usage.output_tokens": 12,
      "gen_ai.usage.cache_read.input_tokens": 20,
      "tenon.agent.end_reason": "completed",
      "user.id": "ann",
    });
  });

  test("a response is a client span with the model, the tokens, and the finish reason", async () => {
    const run = telemetry.startRun({ taskId: "task-1", model: "gpt-5-mini", provider: "openai" });
    const model = run.startModel({ step: 2 });
    time = 250;
    const read: string[] = [];
    for await (const piece of model.stream(() => pieces("a", "b"))) {
      read.push(piece);
      time += 500;
    }
    model.end({
      usage: { inputTokens: 10, outputTokens: 5, reasoningTokens: 3, cachedInputTokens: 4 },
      finishReason: "tool-calls",
    });
    run.end({ reason: "answered" });
    expect(read).toEqual(["a", "b"]);
    const span = spanOf("chat gpt-5-mini");
    expect(span.kind).toBe(api.SpanKind.CLIENT);
    expect(parentOf(span)).toBe(idOf(spanOf("invoke_agent")));
    expect(span.attributes).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-5-mini",
      "gen_ai.request.stream": true,
      "gen_ai.conversation.id": "task-1",
      "gen_ai.response.finish_reasons": ["tool_call"],
      "gen_ai.response.time_to_first_chunk": 0.25,
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 5,
      "gen_ai.usage.cache_read.input_tokens": 4,
      "gen_ai.usage.reasoning.output_tokens": 3,
      "tenon.agent.step": 2,
    });
    expect(parentOf(spanOf("piece a"))).toBe(idOf(span));
    expect(parentOf(spanOf("piece b"))).toBe(idOf(span));
  });

  test("a tool call is an internal span, and work inside it becomes a child", async () => {
    const run = telemetry.startRun({ taskId: "task-1" });
    const tool = run.startTool({ toolName: "search", callId: "call-1", description: "Searches notes" });
    await tool.run(async () => {
      await Promise.resolve();
      work("tools/call search");
    });
    tool.end();
    run.end({ reason: "answered" });
    const span = spanOf("execute_tool search");
    expect(span.kind).toBe(api.SpanKind.INTERNAL);
    expect(span.attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "search",
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": "call-1",
      "gen_ai.tool.description": "Searches notes",
    });
    expect(parentOf(spanOf("tools/call search"))).toBe(idOf(span));
  });

  test("parallel calls are siblings below the run, even if they start within another span", async () => {
    const run = telemetry.startRun({ taskId: "task-1" });
    await run.run(async () => {
      const first = run.startTool({ toolName: "first" });
      // A loop that starts the second call inside the first one's context.
      const second = first.run(() => run.startTool({ toolName: "second" }));
      const calls = [first, second].map((call, index) =>
        call.run(async () => {
          await Promise.resolve();
          work(`inside ${index}`);
        }),
      );
      await Promise.all(calls);
      second.end();
      first.end();
    });
    run.end({ reason: "answered" });
    const id = idOf(spanOf("invoke_agent"));
    const [first, second] = [spanOf("execute_tool first"), spanOf("execute_tool second")];
    expect([parentOf(first), parentOf(second)]).toEqual([id, id]);
    expect(parentOf(spanOf("inside 0"))).toBe(idOf(first));
    expect(parentOf(spanOf("inside 1"))).toBe(idOf(second));
  });

  test("the active span becomes the parent of a run, also for a subtask within a tool", () => {
    const outer = telemetry.startRun({ taskId: "outer", agentName: "Outer" });
    const tool = outer.startTool({ toolName: "assignTasks" });
    tool.run(() => telemetry.startRun({ taskId: "inner", agentName: "Inner" }).end({ reason: "answered" }));
    tool.end();
    outer.end({ reason: "answered" });
    expect(parentOf(spanOf("invoke_agent Inner"))).toBe(idOf(spanOf("execute_tool assignTasks")));
    expect(parentOf(spanOf("invoke_agent Outer"))).toBeUndefined();
  });

  test.each<[string, unknown, string]>([
    ["a failure of the model", new ModelError(SECRET, { kind: "rate-limit" }), "rate-limit"],
    ["a failure of unknown kind", new ModelError(SECRET), "ModelError"],
    ["an error for clients", new McpError("NOT_FOUND", SECRET), "NOT_FOUND"],
    ["an exception", new TypeError(SECRET), "TypeError"],
    ["a timeout", AbortSignal.abort(new DOMException(SECRET, "TimeoutError")).reason, "TimeoutError"],
    [
      "an error with a name that is a text",
      Object.assign(new Error(SECRET), { name: `no ${SECRET}` }),
      "_OTHER",
    ],
    ["a text", SECRET, "_OTHER"],
    ["null", null, "_OTHER"],
    [
      "an error that cannot be read",
      new Proxy(new Error(SECRET), {
        get() {
          throw new Error(SECRET);
        },
      }),
      "_OTHER",
    ],
  ])("%s is recorded as its type only", (_what, error, type) => {
    const run = telemetry.startRun({ taskId: "task-1" });
    const model = run.startModel({ step: 1 });
    model.end({ error });
    const tool = run.startTool({ toolName: "search" });
    tool.end({ error });
    run.end({ reason: "error", error });
    const finished = spans.getFinishedSpans();
    expect(finished.map(({ name }) => name)).toEqual(["chat", "execute_tool search", "invoke_agent"]);
    for (const { attributes, status, events } of finished) {
      expect(attributes["error.type"]).toBe(type);
      expect(status).toEqual({ code: api.SpanStatusCode.ERROR });
      expect(JSON.stringify([attributes, events])).not.toContain(SECRET);
    }
  });

  test("the reason error without a thrown value fails the span, and an interrupt does not", () => {
    telemetry.startRun({ taskId: "task-1", agentName: "a" }).end({ reason: "error" });
    telemetry.startRun({ taskId: "task-1", agentName: "b" }).end({ reason: "interrupted" });
    expect(spanOf("invoke_agent a").attributes["error.type"]).toBe("_OTHER");
    expect(spanOf("invoke_agent b").attributes).not.toHaveProperty("error.type");
    expect(spanOf("invoke_agent b").status.code).toBe(api.SpanStatusCode.UNSET);
  });

  test("records at most 100 different error types", () => {
    for (let index = 0; index < 120; index++) {
      const error = Object.assign(new Error("x"), { name: `E${index}` });
      telemetry.startRun({ taskId: "task-1" }).end({ reason: "error", error });
    }
    const types = spans.getFinishedSpans().map(({ attributes }) => attributes["error.type"]);
    expect(types.slice(98, 102)).toEqual(["E98", "E99", "_OTHER", "_OTHER"]);
    telemetry
      .startRun({ taskId: "task-1" })
      .end({ reason: "error", error: Object.assign(new Error("x"), { name: "E7" }) });
    expect(spans.getFinishedSpans().at(-1)?.attributes["error.type"]).toBe("E7");
  });

  test("limits long texts, and omits token counts that are not counts", () => {
    const long = "x".repeat(5_000);
    const run = telemetry.startRun({ taskId: long, agentName: long, userId: long });
    const model = run.startModel({ step: 1, model: long, provider: long });
    model.end({ usage: { inputTokens: Number.NaN, outputTokens: -1, reasoningTokens: 0.5 } });
    run.startTool({ toolName: long, callId: long, description: long }).end();
    run.end({ reason: "answered" });
    const finished = spans.getFinishedSpans();
    expect(finished).toHaveLength(3);
    for (const { name, attributes } of finished) {
      expect(name.length).toBeLessThan(300);
      for (const value of Object.values(attributes)) expect(String(value).length).toBeLessThanOrEqual(1_600);
      expect(Object.keys(attributes).filter((key) => key.startsWith("gen_ai.usage"))).toEqual([]);
    }
  });

  test("the stream closes its source if the reader stops early, and passes on errors", async () => {
    const run = telemetry.startRun({ taskId: "task-1" });
    const model = run.startModel({ step: 1 });
    const closed: string[] = [];
    const open = async function* (name: string) {
      try {
        yield* pieces(name, name);
        throw new Error("the model failed");
      } finally {
        closed.push(`${name} ${api.trace.getActiveSpan()?.spanContext().spanId}`);
      }
    };
    for await (const piece of model.stream(() => open("early"))) if (piece === "early") break;
    await expect(async () => {
      for await (const piece of model.stream(() => open("late"))) expect(piece).toBe("late");
    }).rejects.toThrow("the model failed");
    const unopened = model.stream(() => {
      throw new Error("not opened");
    });
    expect(() => unopened[Symbol.asyncIterator]()).toThrow("not opened");
    model.end();
    run.end({ reason: "answered" });
    const id = idOf(spanOf("chat"));
    expect(closed).toEqual([`early ${id}`, `late ${id}`]);
  });
});

describe("metrics", () => {
  test("records durations and tokens in the conventional buckets", async () => {
    const run = telemetry.startRun({
      taskId: "task-1",
      agentName: "Notes",
      userId: "ann",
      model: "m",
      provider: "p",
    });
    const model = run.startModel({ step: 1 });
    time = 40;
    for await (const piece of model.stream(() => pieces("a"))) expect(piece).toBe("a");
    time = 1_000;
    model.end({ usage: { inputTokens: 300, outputTokens: 20 }, finishReason: "stop" });
    const tool = run.startTool({ toolName: "search", callId: "call-1", description: "Searches" });
    time = 1_500;
    tool.end({ error: new TypeError(SECRET) });
    time = 2_000;
    run.end({ reason: "answered", usage: { inputTokens: 300, outputTokens: 20 } });
    // A second end must not be recorded again.
    model.end({ usage: { inputTokens: 300 } });
    tool.end();
    run.end({ reason: "error" });

    const chat = {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "p",
      "gen_ai.request.model": "m",
    };
    expect(await pointsOf("gen_ai.client.operation.duration")).toEqual({
      unit: "s",
      boundaries: SECONDS,
      points: [{ attributes: chat, sum: 1, count: 1 }],
    });
    expect(await pointsOf("gen_ai.client.operation.time_to_first_chunk")).toEqual({
      unit: "s",
      boundaries: SECONDS,
      points: [{ attributes: chat, sum: 0.04, count: 1 }],
    });
    expect(await pointsOf("gen_ai.client.token.usage")).toEqual({
      unit: "{token}",
      boundaries: Array.from({ length: 14 }, (_, power) => 4 ** power),
      points: [
        { attributes: { ...chat, "gen_ai.token.type": "input" }, sum: 300, count: 1 },
        { attributes: { ...chat, "gen_ai.token.type": "output" }, sum: 20, count: 1 },
      ],
    });
    expect(await pointsOf("gen_ai.execute_tool.duration")).toEqual({
      unit: "s",
      boundaries: SECONDS,
      points: [
        {
          attributes: {
            "gen_ai.tool.name": "search",
            "gen_ai.tool.type": "function",
            "gen_ai.agent.name": "Notes",
            "error.type": "TypeError",
          },
          sum: 0.5,
          count: 1,
        },
      ],
    });
    expect(await pointsOf("gen_ai.invoke_agent.duration")).toEqual({
      unit: "s",
      boundaries: [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6],
      points: [
        { attributes: { "gen_ai.agent.name": "Notes", "gen_ai.request.model": "m" }, sum: 2, count: 1 },
      ],
    });
  });

  test("a model without a name and a provider is recorded as unknown", async () => {
    telemetry.startRun({ taskId: "task-1" }).startModel({ step: 1 }).end();
    const { points } = await pointsOf("gen_ai.client.operation.duration");
    expect(points.map(({ attributes }) => attributes)).toEqual([
      { "gen_ai.operation.name": "chat", "gen_ai.provider.name": "unknown" },
    ]);
  });
});

describe("without telemetry", () => {
  test("runs the work, and records nothing", async () => {
    const run = NO_TELEMETRY.startRun({ taskId: "task-1" });
    const model = run.startModel({ step: 1 });
    const read: string[] = [];
    for await (const piece of model.stream(() => pieces("a"))) read.push(piece);
    model.end({ finishReason: "stop" });
    const tool = run.startTool({ toolName: "search" });
    expect([run.run(() => 1), tool.run(() => 2), read]).toEqual([1, 2, ["a"]]);
    tool.end({ error: new Error("x") });
    run.end({ reason: "answered" });
    expect(spans.getFinishedSpans().map(({ name }) => name)).toEqual(["piece a"]);
  });
});
