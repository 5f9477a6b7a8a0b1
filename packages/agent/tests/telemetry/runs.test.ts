import * as api from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { AgentServerBuilder } from "../../src/builder.js";
import type { ModelPiece, ModelPort } from "../../src/models/model-port.js";
import { loadAgentTelemetry } from "../../src/telemetry/load-telemetry.js";
import { defineTool } from "../../src/tools/define-tool.js";
import { temporaryFolder } from "../support/socket/clients.js";

const spans = new InMemorySpanExporter();
const tracing = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });

beforeAll(() => {
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  api.trace.setGlobalTracerProvider(tracing);
});
afterEach(() => spans.reset());
afterAll(() => {
  api.trace.disable();
  api.context.disable();
});

const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId;

/** Runs a task whose model sends these responses, and returns the spans by name. */
async function run(answers: readonly (readonly ModelPiece[])[]) {
  let index = 0;
  const model: ModelPort = async function* () {
    yield* answers[index++] ?? [];
  };
  const work = defineTool({
    name: "work",
    description: "Works",
    whenToUse: "Always",
    params: [],
    useExamples: [],
    invoke() {
      tracing.getTracer("inner").startSpan("inside the tool").end();
      return Promise.resolve({ message: "secret result", toolResult: null });
    },
  });
  const server = new AgentServerBuilder()
    .storagePath(temporaryFolder())
    .model(Object.assign(model, { toolCalls: "native" as const, modelName: "m-1", provider: "openai" }), {
      name: "helper",
      telemetry: await loadAgentTelemetry(),
    })
    .registerTool(work)
    .build();
  const result = await server.run("secret question", { user: { id: "ann" } });
  const found = spans.getFinishedSpans();
  return { result, found, named: (name: string) => found.filter((span) => span.name === name) };
}

const calls: readonly ModelPiece[] = ["a", "b"].map((id, index) => ({
  call: { index, id, name: "work", arguments: "{}" },
}));

test("a run has a span with its model calls and tools as children, and contains no messages", async () => {
  const usage = { inputTokens: 3, outputTokens: 2 };
  const { result, found, named } = await run([calls, ["Done.", { finish: { reason: "stop", usage } }]]);
  expect(result.reason).toBe("answered");
  const [agent] = named("invoke_agent helper");
  expect(agent?.attributes).toMatchObject({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.conversation.id": result.taskId,
    "gen_ai.provider.name": "openai",
  });
  const chats = named("chat m-1");
  const tools = named("execute_tool work");
  expect([chats.length, tools.length]).toEqual([2, 2]);
  for (const span of [...chats, ...tools]) expect(span.parentSpanContext?.spanId).toBe(idOf(agent));
  const inner = named("inside the tool").map((span) => span.parentSpanContext?.spanId);
  expect(new Set(inner)).toEqual(new Set(tools.map(idOf)));
  expect(chats.at(-1)?.attributes).toMatchObject({
    "gen_ai.usage.input_tokens": 3,
    "gen_ai.response.finish_reasons": ["stop"],
  });
  expect(JSON.stringify(found.map(({ attributes, events }) => [attributes, events]))).not.toContain("secret");
});

test("a run that fails has spans with an error type", async () => {
  const { named } = await run([[]]);
  const [agent] = named("invoke_agent helper");
  expect(agent?.status.code).toBe(api.SpanStatusCode.ERROR);
  expect(agent?.attributes["error.type"]).toBe("ModelError");
});
