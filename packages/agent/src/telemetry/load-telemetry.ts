/**
 * @fileoverview Spans and metrics that follow the OpenTelemetry conventions for generative AI.
 * @module agent/telemetry/load-telemetry
 */
import { performance } from "node:perf_hooks";
import { defineOptions, type OptionsOf, parseOptions } from "@tenon/internal/options/define-options";
import { callback } from "@tenon/internal/options/option-rows";
import type * as OpenTelemetry from "@opentelemetry/api";
import type {
  AgentTelemetry,
  ModelFacts,
  ModelSpan,
  RunFacts,
  RunSpan,
  ToolSpan,
} from "./agent-telemetry.js";
import {
  type Attributes,
  describeModel,
  describeResponse,
  describeRun,
  describeTool,
  describeUsage,
  type OperationAttributes,
} from "./attributes.js";
import { toCount } from "../models/model-port.js";
import { createErrorTypes, OTHER_ERROR } from "./error-type.js";
import { createInstruments, type InstrumentName, SCOPE } from "./instruments.js";

const TELEMETRY_OPTIONS = /* @__PURE__ */ defineOptions("loadAgentTelemetry", {
  /** Monotonic clock in milliseconds. @default `performance.now` */
  now: callback<() => number>({ default: () => performance.now() }),
});

/** Options for `loadAgentTelemetry`. */
export interface AgentTelemetryOptions extends OptionsOf<typeof TELEMETRY_OPTIONS> {}

/**
 * Loads the OpenTelemetry API for an agent server. Spans and metrics go to the OpenTelemetry SDK that the application
 * registers. Without an SDK, they are discarded.
 */
export async function loadAgentTelemetry(options: AgentTelemetryOptions = {}): Promise<AgentTelemetry> {
  const { now } = parseOptions(TELEMETRY_OPTIONS, options);
  // Imported lazily, so that servers without telemetry start faster.
  const api = await import("@opentelemetry/api");
  const tools: Tools = {
    api,
    now,
    tracer: api.trace.getTracer(SCOPE),
    instrument: createInstruments(api),
    errorType: createErrorTypes(),
  };
  return { startRun: (facts) => startRun(tools, facts) };
}

interface Tools {
  readonly api: typeof OpenTelemetry;
  readonly now: () => number;
  readonly tracer: OpenTelemetry.Tracer;
  readonly instrument: (name: InstrumentName) => OpenTelemetry.Histogram;
  readonly errorType: (error: unknown) => string;
}

function startRun(tools: Tools, facts: RunFacts): RunSpan {
  const { api } = tools;
  const operation = startOperation(tools, {
    ...describeRun(facts),
    kind: api.SpanKind.INTERNAL,
    duration: "gen_ai.invoke_agent.duration",
    parent: api.context.active(),
  });
  return {
    run: operation.run,
    startModel: (model) => startModel(tools, operation.within, { model, run: facts }),
    startTool: (tool): ToolSpan => {
      const call = startOperation(tools, {
        ...describeTool(tool, facts),
        kind: api.SpanKind.INTERNAL,
        duration: "gen_ai.execute_tool.duration",
        parent: operation.within,
      });
      return { run: call.run, end: ({ error } = {}) => call.end({ errorType: toType(tools, error) }) };
    },
    end({ reason, usage, error }) {
      operation.end({
        attributes: { ...describeUsage(usage), "tenon.agent.end_reason": reason },
        errorType: toType(tools, error) ?? (reason === "error" ? OTHER_ERROR : undefined),
      });
    },
  };
}

function startModel(
  tools: Tools,
  parent: OpenTelemetry.Context,
  { model, run }: { readonly model: ModelFacts; readonly run: RunFacts },
): ModelSpan {
  const { api, instrument } = tools;
  const described = describeModel(model, run);
  const operation = startOperation(tools, {
    ...described,
    kind: api.SpanKind.CLIENT,
    duration: "gen_ai.client.operation.duration",
    parent,
  });
  const record = (name: InstrumentName, value: number, more: Attributes = {}) =>
    instrument(name).record(value, { ...described.metric, ...more }, operation.within);
  let firstChunk: number | undefined;
  return {
    stream: (open) =>
      streamWithin(operation, open, () => {
        firstChunk ??= operation.seconds();
      }),
    end(outcome = {}) {
      const isFirst = operation.end({
        attributes: {
          ...describeResponse(outcome),
          ...(firstChunk === undefined ? {} : { "gen_ai.response.time_to_first_chunk": firstChunk }),
        },
        errorType: toType(tools, outcome.error),
      });
      if (!isFirst) return;
      if (firstChunk !== undefined) record("gen_ai.client.operation.time_to_first_chunk", firstChunk);
      const input = toCount(outcome.usage?.inputTokens);
      const output = toCount(outcome.usage?.outputTokens);
      if (input !== undefined) record("gen_ai.client.token.usage", input, { [TOKEN_TYPE]: "input" });
      if (output !== undefined) record("gen_ai.client.token.usage", output, { [TOKEN_TYPE]: "output" });
    },
  };
}

const TOKEN_TYPE = "gen_ai.token.type";

function toType({ errorType }: Tools, error: unknown): string | undefined {
  return error === undefined ? undefined : errorType(error);
}

/** An operation that has started. */
type Operation = ReturnType<typeof startOperation>;

interface OperationEnd {
  readonly attributes?: Attributes;
  readonly errorType: string | undefined;
}

interface OperationStart extends OperationAttributes {
  readonly kind: OpenTelemetry.SpanKind;
  /** Histogram for the duration. */
  readonly duration: InstrumentName;
  readonly parent: OpenTelemetry.Context;
}

function startOperation({ api, now, tracer, instrument }: Tools, start: OperationStart) {
  const { name, kind, parent, metric } = start;
  const started = now();
  const seconds = () => (now() - started) / 1000;
  const span = tracer.startSpan(name, { kind, attributes: start.span }, parent);
  const within = api.trace.setSpan(parent, span);
  let hasEnded = false;
  return {
    /** Context in which the operation's span is the active one. */
    within,
    /** Returns the time since the start. */
    seconds,
    run: <T>(task: () => T): T => api.context.with(within, task),
    /** Ends the span and records the duration. Returns false if the span has already ended. */
    end({ attributes = {}, errorType }: OperationEnd): boolean {
      if (hasEnded) return false;
      hasEnded = true;
      const failure = errorType === undefined ? {} : { "error.type": errorType };
      span.setAttributes({ ...attributes, ...failure });
      // Without a message, because messages can contain anything.
      if (errorType !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR });
      span.end();
      instrument(start.duration).record(seconds(), { ...metric, ...failure }, within);
      return true;
    },
  };
}

/** Opens and reads a stream within an operation. Reports the first piece. */
function streamWithin<T>(
  { run }: Operation,
  open: () => AsyncIterable<T>,
  onFirst: () => void,
): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const source = run(() => open()[Symbol.asyncIterator]());
      let isFirst = true;
      const iterator: AsyncIterator<T> = {
        async next() {
          const step = await run(() => source.next());
          if (isFirst && step.done !== true) onFirst();
          isFirst = false;
          return step;
        },
      };
      if (source.return === undefined) return iterator;
      return {
        ...iterator,
        return: async () => (await run(() => source.return?.())) ?? { done: true, value: undefined },
      };
    },
  };
}
