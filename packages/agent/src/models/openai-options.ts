/**
 * @fileoverview Options for OpenAI-compatible models. All invalid options are reported together. The error omits
 * values that may contain secrets: the API key, the base URL, and headers.
 * @module agent/models/openai-options
 */
import { isPlainObject, type JsonObject } from "@tenon/internal/json";
import { type Ports, withPorts } from "@tenon/internal/ports";
import { trimEndOf } from "@tenon/internal/text";
import { isUrl } from "@tenon/internal/security/is-url";
import { showValue } from "../shared/show-value.js";
import { createRedact } from "./model-failures.js";

/** The signature of `fetch` that the model uses. */
export type ModelFetch = (url: string, init: RequestInit) => Promise<Response>;

/** Options for `createOpenAiModel`. */
export interface OpenAiOptions {
  /** Name of the model on the server. */
  readonly model: string;
  /** API key, sent as `Authorization: Bearer <key>` to the base URL only. Local servers usually do not require one. */
  readonly apiKey?: string | undefined;
  /**
   * Base URL, without `/chat/completions`.
   * @default "https://api.openai.com/v1"
   */
  readonly baseUrl?: string | undefined;
  /**
   * Format of tool calls: the provider's native calls, or XML tags in the text for models without native calls.
   * @default "native"
   */
  readonly toolCalls?: "xml" | "native" | undefined;
  /** Sampling temperature, from 0 to 2. @default the server's default */
  readonly temperature?: number | undefined;
  /** Maximum number of tokens in a response, sent as `max_tokens`. @default the server's default */
  readonly maxTokens?: number | undefined;
  /** Number of tokens that a conversation and its response may have. @default unknown */
  readonly contextWindow?: number | undefined;
  /** Additional request headers. Long values are treated as secrets and never appear in errors. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Additional fields for the request body, such as `{ top_p: 0.9 }`. */
  readonly body?: JsonObject | undefined;
  /**
   * Maximum number of attempts per response. A response that has started is not requested again.
   * @default 4
   */
  readonly maxAttempts?: number | undefined;
  /**
   * Maximum time without data from the server, in milliseconds.
   * @default 120000
   */
  readonly idleTimeoutMs?: number | undefined;
  /**
   * Maximum number of characters in a response, including reasoning and calls.
   * @default 1000000
   */
  readonly maxAnswerChars?: number | undefined;
  /** Function that sends requests. @default the global `fetch` */
  readonly fetch?: ModelFetch | undefined;
  /** Clock, timers, and randomness. Replaced in tests. */
  readonly ports?: Partial<Ports> | undefined;
}

/** Options with all defaults applied. */
export interface OpenAiSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Fields that every request body contains. */
  readonly body: JsonObject;
  readonly toolCalls: "xml" | "native";
  readonly contextWindow: number | undefined;
  readonly maxAttempts: number;
  readonly idleTimeoutMs: number;
  readonly maxAnswerChars: number;
  readonly fetch: ModelFetch;
  readonly ports: Ports;
  /** Removes secrets from untrusted text. */
  readonly redact: (text: string) => string;
}

/** Validates the options and applies the defaults. @throws if any option is invalid; the message lists every problem */
export function resolveOpenAiOptions(options: OpenAiOptions): OpenAiSettings {
  const problems = [...findProblems(options)];
  if (problems.length > 0) throw new Error(`Model configuration is invalid: ${problems.join("; ")}.`);
  const {
    model,
    apiKey,
    baseUrl = DEFAULT_BASE_URL,
    temperature,
    maxTokens,
    headers = {},
    body = {},
  } = options;
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    url: `${trimEndOf(new URL(baseUrl).href, "/")}/chat/completions`,
    headers: {
      accept: "text/event-stream, application/json",
      ...Object.fromEntries(own),
      "content-type": "application/json",
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    },
    body: structuredClone({
      ...body,
      model,
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    }),
    toolCalls: options.toolCalls ?? "native",
    contextWindow: options.contextWindow,
    maxAttempts: options.maxAttempts ?? 4,
    idleTimeoutMs: options.idleTimeoutMs ?? 120_000,
    maxAnswerChars: options.maxAnswerChars ?? 1_000_000,
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    ports: withPorts(options.ports),
    redact: createRedact([apiKey ?? "", ...own.flatMap(([, value]) => value.split(" ")).filter(isLong)]),
  };
}

/** Returns true if a value is a valid base URL. */
export function isBaseUrl(text: unknown): text is string {
  if (typeof text !== "string" || /[?#\s]/.test(text) || !isUrl(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === "https:" || protocol === "http:") && username === "" && password === "";
}

/** Returns true if a value is a valid API key. */
export function isApiKey(text: unknown): text is string {
  return typeof text === "string" && /^[\x21-\x7e]{1,4096}$/.test(text);
}

/** Requirement for base URLs, for error messages. */
export const BASE_URL_RULE = "must be an http or https URL without credentials, query, or fragment";
/** Requirement for API keys, for error messages. */
export const API_KEY_RULE = "must be 1 to 4096 characters long (printable ASCII without spaces)";

const DEFAULT_BASE_URL = "https://api.openai.com/v1";
const MAX_TIMER = 2_147_483_647;
/** Body fields that Tenon sets. */
const OWN_FIELDS = ["model", "messages", "stream", "tools"];
const OWN_HEADERS = ["content-type", "content-length", "host", "connection", "transfer-encoding"];

function* findProblems(options: OpenAiOptions): Generator<string> {
  const { model, apiKey, baseUrl, toolCalls = "native", headers = {}, body = {} } = options;
  if (typeof model !== "string" || model.trim() === "") {
    yield `\`model\` must be a non-empty string; got ${showValue(model)}`;
  }
  if (apiKey !== undefined && !isApiKey(apiKey)) yield `\`apiKey\` ${API_KEY_RULE}`;
  if (baseUrl !== undefined && !isBaseUrl(baseUrl)) yield `\`baseUrl\` ${BASE_URL_RULE}`;
  if (toolCalls !== "xml" && toolCalls !== "native") {
    yield `\`toolCalls\` must be "xml" or "native"; got ${showValue(toolCalls)}`;
  }
  const { temperature = 0 } = options;
  if (!(typeof temperature === "number" && temperature >= 0 && temperature <= 2)) {
    yield `\`temperature\` must be a number from 0 to 2; got ${showValue(temperature)}`;
  }
  yield* findRangeProblem("maxTokens", options.maxTokens, Number.MAX_SAFE_INTEGER);
  yield* findRangeProblem("contextWindow", options.contextWindow, Number.MAX_SAFE_INTEGER);
  yield* findRangeProblem("maxAttempts", options.maxAttempts, 10);
  yield* findRangeProblem("idleTimeoutMs", options.idleTimeoutMs, MAX_TIMER);
  yield* findRangeProblem("maxAnswerChars", options.maxAnswerChars, 100_000_000);
  yield* findHeaderProblems(headers, apiKey !== undefined);
  yield* findBodyProblems(body);
}

/** Yields a problem if an option is not an integer from 1 to `most`. */
export function* findRangeProblem(name: string, value: unknown, most: number): Generator<string> {
  if (value === undefined) return;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= most) return;
  yield `\`${name}\` must be an integer from 1 to ${most}; got ${showValue(value)}`;
}

function* findHeaderProblems(headers: unknown, hasKey: boolean): Generator<string> {
  if (!isPlainObject(headers)) return yield `\`headers\` must be an object; got ${showValue(headers)}`;
  const taken = hasKey ? [...OWN_HEADERS, "authorization"] : OWN_HEADERS;
  for (const [index, [name, value]] of Object.entries(headers).entries()) {
    // The name is not shown, because a misplaced value such as `Authorization: Bearer …` is a secret.
    if (!/^[\w!#$%&'*+.^`|~-]{1,256}$/.test(name))
      yield `\`headers\` contains an invalid name (entry ${index + 1}): use letters, digits, and hyphens`;
    else if (taken.includes(name.toLowerCase()))
      yield `\`headers\` must not contain "${name}": Tenon sets this header`;
    else if (typeof value !== "string" || !/^[\x20-\x7e]{0,4096}$/.test(value)) {
      yield `the value of "${name}" in \`headers\` must be at most 4096 characters long (printable ASCII)`;
    }
  }
}

function* findBodyProblems(body: unknown): Generator<string> {
  if (!isPlainObject(body)) return yield `\`body\` must be a JSON object; got ${showValue(body)}`;
  for (const name of OWN_FIELDS.filter((field) => field in body)) {
    yield `\`body\` must not contain "${name}": Tenon sets this field`;
  }
  if (!isSerializable(body)) yield "`body` must contain only JSON values without circular references";
}

function isSerializable(value: unknown): boolean {
  try {
    structuredClone(value);
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

/** Returns true if a header value is long enough to redact. Short words occur in ordinary text. */
function isLong(value: string): boolean {
  return value.length >= 8;
}
