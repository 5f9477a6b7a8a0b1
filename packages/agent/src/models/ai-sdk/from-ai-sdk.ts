/**
 * @fileoverview Model port for language models of the AI SDK. A call is repeated only if it fails before the response
 * starts.
 * @module agent/models/ai-sdk/from-ai-sdk
 */
import { isPlainObject, type JsonObject } from "@tenon/internal/json";
import { type Ports, withPorts } from "@tenon/internal/ports";
import { showValue } from "../../shared/show-value.js";
import { createRedact, lost, silent } from "../model-failures.js";
import type { ModelConversation, ModelPiece, ModelPort } from "../model-port.js";
import { findRangeProblem } from "../openai-options.js";
import { withRetries } from "../retry.js";
import { createBranch, toStoppable, waitForData } from "../waiting.js";
import { malformed, toReadFailure, toStartFailure } from "./ai-sdk-failures.js";
import { type AiSdkModel, type AiSdkReader, findModelProblem } from "./ai-sdk-model.js";
import { toCallOptions } from "./ai-sdk-prompt.js";
import { AiSdkResponse } from "./ai-sdk-response.js";

/** Options for `fromAiSdk`. */
export interface FromAiSdkOptions {
  /**
   * Format of tool calls: the provider's native calls, or XML tags in the text for models without native calls.
   * @default "native"
   */
  readonly toolCalls?: "xml" | "native" | undefined;
  /** Number of tokens that a conversation and its response may have. @default unknown */
  readonly contextWindow?: number | undefined;
  /** Additional call options of the AI SDK, such as `{ maxOutputTokens: 4000, providerOptions: { … } }`. */
  readonly callOptions?: JsonObject | undefined;
  /**
   * Maximum number of attempts per response. A response that has started is not requested again.
   * @default 4
   */
  readonly maxAttempts?: number | undefined;
  /**
   * Maximum time without data from the model, in milliseconds.
   * @default 120000
   */
  readonly idleTimeoutMs?: number | undefined;
  /**
   * Maximum number of characters in a response, including reasoning and calls.
   * @default 1000000
   */
  readonly maxAnswerChars?: number | undefined;
  /** Clock, timers, and randomness. Replaced in tests. */
  readonly ports?: Partial<Ports> | undefined;
}

interface Settings {
  readonly model: AiSdkModel;
  readonly provider: string;
  readonly toolCalls: "xml" | "native";
  readonly callOptions: JsonObject;
  readonly maxAttempts: number;
  readonly idleTimeoutMs: number;
  readonly maxAnswerChars: number;
  readonly ports: Ports;
  readonly redact: (text: string) => string;
  readonly now: () => number;
}

/**
 * Creates a model from any language model of the AI SDK, versions 2 to 4 of its specification. An abort throws the
 * signal's reason. Every other failure throws a `ModelError`.
 *
 * @throws if the value is not a language model, or if any option is invalid; the message lists every problem
 *
 * @example fromAiSdk(anthropic("claude-sonnet-4-5"))
 */
export function fromAiSdk(model: AiSdkModel, options: FromAiSdkOptions = {}): ModelPort {
  const problems = [...findProblems(model, options)];
  if (problems.length > 0) throw new Error(`Model configuration is invalid: ${problems.join("; ")}.`);
  const { toolCalls = "native", contextWindow, callOptions = {} } = options;
  const ports = withPorts(options.ports);
  const settings: Settings = {
    model,
    provider: model.provider,
    toolCalls,
    callOptions: { ...callOptions },
    maxAttempts: options.maxAttempts ?? 4,
    idleTimeoutMs: options.idleTimeoutMs ?? 120_000,
    maxAnswerChars: options.maxAnswerChars ?? 1_000_000,
    ports,
    redact: createRedact([]),
    now: ports.now,
  };
  const port = (conversation: ModelConversation, signal: AbortSignal) =>
    toStoppable(signal, (inner) =>
      withRetries(() => attempt(settings, conversation, inner), settings, inner),
    );
  const window = contextWindow === undefined ? {} : { contextWindow };
  const [provider] = model.provider.split(".");
  return Object.assign(port, { toolCalls, modelName: model.modelId, provider, ...window });
}

async function* attempt(
  settings: Settings,
  conversation: ModelConversation,
  signal: AbortSignal,
): AsyncGenerator<ModelPiece> {
  const { model, provider, toolCalls, callOptions, ports, idleTimeoutMs: ms } = settings;
  const branch = createBranch(signal);
  const wait = <T>(start: () => PromiseLike<T>, convert: typeof toReadFailure): Promise<T> =>
    waitForData(start, {
      branch,
      ms,
      ports,
      toFailure: (error) => convert(error, settings),
      toTimeout: () => silent(ms),
    });
  let reader: AiSdkReader | undefined;
  try {
    const own = toCallOptions(conversation, { version: model.specificationVersion, provider, toolCalls });
    const abortSignal = branch.signal;
    const result = await wait(() => model.doStream({ ...callOptions, ...own, abortSignal }), toStartFailure);
    reader = readerOf(result);
    const open = reader;
    yield* readParts(() => wait(() => open.read(), toReadFailure), settings);
  } finally {
    branch.release();
    branch.abort();
    void reader?.cancel().catch(() => undefined);
  }
}

async function* readParts(
  next: () => Promise<{ readonly done: boolean; readonly value?: unknown }>,
  settings: Settings,
): AsyncGenerator<ModelPiece> {
  const response = new AiSdkResponse(settings);
  while (!response.isFinished) {
    const { done, value } = await next();
    if (done) throw lost(undefined, settings.redact);
    yield* response.read(value);
  }
}

function readerOf(result: unknown): AiSdkReader {
  const stream = isObject(result) && "stream" in result ? result.stream : undefined;
  if (!isObject(stream) || !("getReader" in stream) || typeof stream.getReader !== "function")
    throw malformed();
  // Safe: a stream's `getReader` returns a reader, and every value that it reads is checked.
  return stream.getReader() as AiSdkReader;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

const MAX_TIMER = 2_147_483_647;
/** Call options that Tenon sets. */
const OWN_OPTIONS = ["prompt", "tools", "toolChoice", "responseFormat", "abortSignal", "includeRawChunks"];

function* findProblems(model: unknown, options: FromAiSdkOptions): Generator<string> {
  const problem = findModelProblem(model);
  if (problem !== undefined) yield problem;
  const { toolCalls = "native", callOptions = {} } = options;
  if (toolCalls !== "xml" && toolCalls !== "native") {
    yield `\`toolCalls\` must be "xml" or "native"; got ${showValue(toolCalls)}`;
  }
  yield* findRangeProblem("contextWindow", options.contextWindow, Number.MAX_SAFE_INTEGER);
  yield* findRangeProblem("maxAttempts", options.maxAttempts, 10);
  yield* findRangeProblem("idleTimeoutMs", options.idleTimeoutMs, MAX_TIMER);
  yield* findRangeProblem("maxAnswerChars", options.maxAnswerChars, 100_000_000);
  if (!isPlainObject(callOptions)) {
    yield `\`callOptions\` must be an object; got ${showValue(callOptions)}`;
    return;
  }
  for (const name of OWN_OPTIONS.filter((one) => one in callOptions)) {
    yield `\`callOptions\` must not contain "${name}": Tenon sets this option`;
  }
}
