/**
 * @fileoverview Interface between the agent and telemetry: one span for each run, model response, and tool call. Spans
 * never contain arguments, results, or messages.
 * @module agent/telemetry/agent-telemetry
 */
import type { FinishReason, ModelUsage } from "../models/model-port.js";

/** Records spans and metrics for runs. Ending a span a second time has no effect. */
export interface AgentTelemetry {
  /** Starts a span for a run. The active span, such as that of the HTTP request, becomes its parent. */
  startRun(facts: RunFacts): RunSpan;
}

/** Facts about a run that are known when it starts. */
export interface RunFacts {
  readonly taskId: string;
  /** Name of the agent. It must be one of a few names, because metrics are grouped by it. */
  readonly agentName?: string | undefined;
  /** ID of the user that the run belongs to. Recorded in the span, but not in metrics. */
  readonly userId?: string | undefined;
  /** Name of the model, such as `gpt-5-mini`. */
  readonly model?: string | undefined;
  /** Provider of the model, such as `openai`. */
  readonly provider?: string | undefined;
}

/** Span for one run. */
export interface RunSpan {
  /** Runs a function with this span as the active one. Spans created inside become its children. */
  run<T>(task: () => T): T;
  /** Starts a child span for a response of the model. */
  startModel(facts: ModelFacts): ModelSpan;
  /** Starts a child span for a tool call. The spans of parallel calls are siblings. */
  startTool(facts: ToolFacts): ToolSpan;
  /** Ends the span and records the duration. */
  end(outcome: RunOutcome): void;
}

/** Facts about a request to the model. */
export interface ModelFacts {
  /** Name of the model. @default the name from `RunFacts` */
  readonly model?: string | undefined;
  /** Provider of the model. @default the provider from `RunFacts` */
  readonly provider?: string | undefined;
  /** Number of the response in the run, starting at 1. */
  readonly step: number;
}

/** Span for one response of the model, including retries. */
export interface ModelSpan {
  /**
   * Opens and reads a stream with this span as the active one, so that the provider's HTTP requests become its children.
   * Measures the time until the first piece. The caller ends the span.
   */
  stream<T>(open: () => AsyncIterable<T>): AsyncIterable<T>;
  /** Ends the span, and records the duration and the tokens. */
  end(outcome?: ModelOutcome): void;
}

/** Facts about a tool call. */
export interface ToolFacts {
  /** Name of a registered tool. Names that the model made up must not be passed, because metrics are grouped by name. */
  readonly toolName: string;
  /** ID of the call. */
  readonly callId?: string | undefined;
  /** Description of the tool for the model. */
  readonly description?: string | undefined;
}

/** Span for one tool call. */
export interface ToolSpan {
  /** Runs the tool with this span as the active one. Spans created inside become its children. */
  run<T>(task: () => T): T;
  /** Ends the span and records the duration. */
  end(outcome?: Failure): void;
}

/** Failure of an operation. */
export interface Failure {
  /** Thrown value. Absent if the operation succeeded. Only its type is recorded. */
  readonly error?: unknown;
}

/** Outcome of a request to the model. */
export interface ModelOutcome extends Failure {
  readonly usage?: ModelUsage | undefined;
  readonly finishReason?: FinishReason | undefined;
}

/** Outcome of a run. */
export interface RunOutcome extends Failure {
  /** Reason for the end of the run, such as `completed`. The reason `error` marks the span as failed. */
  readonly reason: string;
  /** Tokens of all responses in the run. */
  readonly usage?: ModelUsage | undefined;
}

/** Telemetry that records nothing, for servers without telemetry. */
export const NO_TELEMETRY: AgentTelemetry = /* @__PURE__ */ Object.freeze({ startRun: () => NO_RUN });

const NO_RUN: RunSpan = /* @__PURE__ */ Object.freeze({
  run: <T>(task: () => T) => task(),
  startModel: () => NO_MODEL,
  startTool: () => NO_TOOL,
  end: () => undefined,
});

const NO_MODEL: ModelSpan = /* @__PURE__ */ Object.freeze({
  stream: <T>(open: () => AsyncIterable<T>) => open(),
  end: () => undefined,
});

const NO_TOOL: ToolSpan = /* @__PURE__ */ Object.freeze({
  run: <T>(task: () => T) => task(),
  end: () => undefined,
});
