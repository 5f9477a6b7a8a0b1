/**
 * @fileoverview Model port for language models of the AI SDK. A call is repeated only if it fails before the response
 * starts.
 * @module agent/models/ai-sdk/from-ai-sdk
 */
import { isPlainObject, type JsonObject } from "@tenon/internal/json";
import {
  defineOptions,
  type OptionsOf,
  type ParsedOptions,
  parseOptions,
} from "@tenon/internal/options/define-options";
import { custom } from "@tenon/internal/options/option-rows";
import { type Ports, withPorts } from "@tenon/internal/ports";
import { createRedact, lost, silent } from "../model-failures.js";
import type { ModelConversation, ModelPiece, ModelPort } from "../model-port.js";
import { assertModelOptions, SERVED_MODEL_ROWS } from "../model-options.js";
import { withRetries } from "../retry.js";
import { createBranch, toStoppable, waitForData } from "../waiting.js";
import { malformed, toReadFailure, toStartFailure } from "./ai-sdk-failures.js";
import { type AiSdkModel, type AiSdkReader, findModelProblem } from "./ai-sdk-model.js";
import { toCallOptions } from "./ai-sdk-prompt.js";
import { AiSdkResponse } from "./ai-sdk-response.js";

/** Options for `fromAiSdk`. */
export const AI_SDK_OPTIONS = /* @__PURE__ */ defineOptions("fromAiSdk", {
  ...SERVED_MODEL_ROWS,
  /** Additional call options of the AI SDK, such as `{ maxOutputTokens: 4000, providerOptions: { … } }`. */
  callOptions: custom<JsonObject>({
    default: {},
    expected: "an object",
    accepts: isPlainObject,
    aliases: ["settings", "providerOptions"],
  }),
});

/** Options for `fromAiSdk`. */
export interface FromAiSdkOptions extends OptionsOf<typeof AI_SDK_OPTIONS> {}

interface Settings extends Omit<ParsedOptions<typeof AI_SDK_OPTIONS>, "ports"> {
  readonly model: AiSdkModel;
  readonly provider: string;
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
  assertModelOptions(AI_SDK_OPTIONS, options, findProblems(model, options));
  const given = parseOptions(AI_SDK_OPTIONS, options);
  const { toolCalls, contextWindow } = given;
  const ports = withPorts(given.ports);
  const settings: Settings = {
    ...given,
    model,
    provider: model.provider,
    callOptions: { ...given.callOptions },
    ports,
    redact: createRedact([]),
    now: ports.now,
  };
  const port = (conversation: ModelConversation, signal: AbortSignal) =>
    toStoppable(signal, (inner) =>
      withRetries(() => attempt(settings, conversation, inner), settings, inner),
    );
  const [provider] = model.provider.split(".");
  return Object.assign(port, { toolCalls, modelName: model.modelId, provider, contextWindow });
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

/** Call options that Tenon sets. */
const OWN_OPTIONS = ["prompt", "tools", "toolChoice", "responseFormat", "abortSignal", "includeRawChunks"];

function* findProblems(model: unknown, { callOptions }: FromAiSdkOptions): Generator<string> {
  const problem = findModelProblem(model);
  if (problem !== undefined) yield `${problem}.`;
  for (const name of OWN_OPTIONS.filter((one) => one in Object(callOptions))) {
    yield `\`callOptions\` must not contain "${name}": Tenon sets this option.`;
  }
}
