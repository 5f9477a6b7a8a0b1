/**
 * @fileoverview Attributes of spans and metrics, named by the OpenTelemetry conventions for generative AI.
 * @module agent/telemetry/attributes
 */
import type { AttributeValue } from "@opentelemetry/api";
import { withoutUndefined } from "@tenon/internal/json";
import { type FinishReason, type ModelUsage, toCount } from "../models/model-port.js";
import type { ModelFacts, ModelOutcome, RunFacts, ToolFacts } from "./agent-telemetry.js";

/** Attributes of a span or a metric. Absent values are omitted. */
export type Attributes = Record<string, AttributeValue>;

/** Attributes of an operation. Metrics have fewer attributes than spans, because each combination is a time series. */
export interface OperationAttributes {
  readonly name: string;
  readonly span: Attributes;
  readonly metric: Attributes;
}

/** Describes a run. */
export function describeRun({ taskId, agentName, userId, model, provider }: RunFacts): OperationAttributes {
  const metric = withoutUndefined({ [AGENT]: shorten(agentName), [MODEL]: shorten(model) });
  return {
    name: nameOf("invoke_agent", agentName),
    metric,
    span: withoutUndefined({
      [OPERATION]: "invoke_agent",
      [PROVIDER]: shorten(provider) ?? UNKNOWN,
      ...metric,
      [CONVERSATION]: shorten(taskId),
      "user.id": userId?.slice(0, MAX_USER_ID),
    }),
  };
}

/** Describes a request to the model. */
export function describeModel({ model, provider, step }: ModelFacts, run: RunFacts): OperationAttributes {
  const name = model ?? run.model;
  const metric = withoutUndefined({
    [OPERATION]: "chat",
    [PROVIDER]: shorten(provider ?? run.provider) ?? UNKNOWN,
    [MODEL]: shorten(name),
  });
  return {
    name: nameOf("chat", name),
    metric,
    span: withoutUndefined({
      ...metric,
      [CONVERSATION]: shorten(run.taskId),
      "gen_ai.request.stream": true,
      "tenon.agent.step": step,
    }),
  };
}

/** Describes a tool call. */
export function describeTool(
  { toolName, callId, description }: ToolFacts,
  { agentName }: RunFacts,
): OperationAttributes {
  const metric = withoutUndefined({
    "gen_ai.tool.name": shorten(toolName),
    "gen_ai.tool.type": "function",
    [AGENT]: shorten(agentName),
  });
  return {
    name: nameOf("execute_tool", toolName),
    metric,
    span: withoutUndefined({
      [OPERATION]: "execute_tool",
      ...metric,
      "gen_ai.tool.call.id": shorten(callId),
      "gen_ai.tool.description": description?.slice(0, MAX_DESCRIPTION),
    }),
  };
}

/** Describes the tokens that a model used. Counts that are not whole numbers are omitted. */
export function describeUsage(usage: ModelUsage = {}): Attributes {
  return withoutUndefined({
    "gen_ai.usage.input_tokens": toCount(usage.inputTokens),
    "gen_ai.usage.output_tokens": toCount(usage.outputTokens),
    "gen_ai.usage.cache_read.input_tokens": toCount(usage.cachedInputTokens),
    "gen_ai.usage.reasoning.output_tokens": toCount(usage.reasoningTokens),
  });
}

/** Describes a finished response. */
export function describeResponse({ usage, finishReason }: ModelOutcome): Attributes {
  return withoutUndefined({
    ...describeUsage(usage),
    "gen_ai.response.finish_reasons": finishReason && [FINISH_REASONS[finishReason]],
  });
}

const OPERATION = "gen_ai.operation.name";
const PROVIDER = "gen_ai.provider.name";
const AGENT = "gen_ai.agent.name";
const MODEL = "gen_ai.request.model";
const CONVERSATION = "gen_ai.conversation.id";

/** Value of the provider's name, which is required, for a model that does not state it. */
const UNKNOWN = "unknown";

const MAX_NAME = 256;
const MAX_DESCRIPTION = 1_024;
/** Maximum length of a user ID. */
const MAX_USER_ID = 1_600;

/** Finish reasons as the conventions write them. */
const FINISH_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_call",
  "content-filter": "content_filter",
  error: "error",
  other: "other",
};

function nameOf(operation: string, subject: string | undefined): string {
  return subject === undefined ? operation : `${operation} ${subject.slice(0, MAX_NAME)}`;
}

function shorten(text: string | undefined): string | undefined {
  return text?.slice(0, MAX_NAME);
}
