/**
 * @fileoverview Options of OpenAI-compatible models. The check reports all invalid options together, without their
 * values, because they may be secret.
 * @module agent/models/openai-options
 */
import { isPlainObject, type JsonObject } from "@tenon/internal/json";
import { type Ports, withPorts } from "@tenon/internal/ports";
import { createRedact } from "./openai-failures.js";

/** The part of `fetch` that is used. */
export type ModelFetch = (url: string, init: RequestInit) => Promise<Response>;

/** Options of an OpenAI-compatible model. */
export interface OpenAiOptions {
  /** Name of the model on its server. */
  readonly model: string;
  /** API key, sent as `Authorization: Bearer <key>` to the base URL only. Local servers need none. */
  readonly apiKey?: string | undefined;
  /**
   * Base URL, without `/chat/completions`.
   * @default "https://api.openai.com/v1"
   */
  readonly baseUrl?: string | undefined;
  /**
   * Format of tool calls: tags in the text, or native calls of the provider.
   * @default "xml"
   */
  readonly toolCalls?: "xml" | "native" | undefined;
  /** Sampling temperature, from 0 to 2. @default the server's default */
  readonly temperature?: number | undefined;
  /** Maximum number of tokens in an answer, sent as `max_tokens`. @default the server's default */
  readonly maxTokens?: number | undefined;
  /** Additional request headers. Their values are treated as secrets. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Additional fields of the request body, such as `{ top_p: 0.9 }`. */
  readonly body?: JsonObject | undefined;
  /**
   * Maximum number of requests until an answer starts.
   * @default 4
   */
  readonly maxAttempts?: number | undefined;
  /**
   * Timeout in milliseconds while no data arrives.
   * @default 120000
   */
  readonly idleTimeoutMs?: number | undefined;
  /**
   * Maximum number of characters in an answer, including reasoning and calls.
   * @default 1000000
   */
  readonly maxAnswerChars?: number | undefined;
  /** Function that sends requests. @default the global `fetch` */
  readonly fetch?: ModelFetch | undefined;
  /** Clock, timers and randomness, for tests. */
  readonly ports?: Partial<Ports> | undefined;
}

/** Resolved options. */
export interface OpenAiSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Fields of every request body. */
  readonly body: JsonObject;
  readonly toolCalls: "xml" | "native";
  readonly maxAttempts: number;
  readonly idleTimeoutMs: number;
  readonly maxAnswerChars: number;
  readonly fetch: ModelFetch;
  readonly ports: Ports;
  /** Removes secrets from untrusted text. */
  readonly redact: (text: string) => string;
}

/** Applies the defaults. @throws if options are invalid; the message names all of them */
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
    url: `${new URL(baseUrl).href.replace(/\/+$/, "")}/chat/completions`,
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
    toolCalls: options.toolCalls ?? "xml",
    maxAttempts: options.maxAttempts ?? 4,
    idleTimeoutMs: options.idleTimeoutMs ?? 120_000,
    maxAnswerChars: options.maxAnswerChars ?? 1_000_000,
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    ports: withPorts(options.ports),
    redact: createRedact([apiKey ?? "", ...own.flatMap(([, value]) => value.split(" ")).filter(isLong)]),
  };
}

/** Checks if a value is a URL that a key can be sent to. */
export function isBaseUrl(text: unknown): text is string {
  if (typeof text !== "string" || /[?#\s]/.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === "https:" || protocol === "http:") && username === "" && password === "";
}

/** Checks if a value can be sent as an API key. */
export function isApiKey(text: unknown): text is string {
  return typeof text === "string" && /^[\x21-\x7e]{1,4096}$/.test(text);
}

/** Requirement for base URLs, for error messages. */
export const BASE_URL_RULE = "must be an http or https URL without credentials, query and fragment";
/** Requirement for API keys, for error messages. */
export const API_KEY_RULE = "must be printable ASCII without spaces (at most 4096 characters)";

const DEFAULT_BASE_URL = "https://api.openai.com/v1";
const MAX_TIMER = 2_147_483_647;
/** Fields that the request sets itself. */
const OWN_FIELDS = ["model", "messages", "stream", "tools"];
const OWN_HEADERS = ["content-type", "content-length", "host", "connection", "transfer-encoding"];

function* findProblems(options: OpenAiOptions): Generator<string> {
  const { model, apiKey, baseUrl, toolCalls = "xml", headers = {}, body = {} } = options;
  if (typeof model !== "string" || model.trim() === "") yield "`model` must be a non-empty string";
  if (apiKey !== undefined && !isApiKey(apiKey)) yield `\`apiKey\` ${API_KEY_RULE}`;
  if (baseUrl !== undefined && !isBaseUrl(baseUrl)) yield `\`baseUrl\` ${BASE_URL_RULE}`;
  if (toolCalls !== "xml" && toolCalls !== "native") yield '`toolCalls` must be "xml" or "native"';
  const { temperature = 0 } = options;
  if (!(typeof temperature === "number" && temperature >= 0 && temperature <= 2)) {
    yield "`temperature` must be a number from 0 to 2";
  }
  yield* findRangeProblem("maxTokens", options.maxTokens, Number.MAX_SAFE_INTEGER);
  yield* findRangeProblem("maxAttempts", options.maxAttempts, 10);
  yield* findRangeProblem("idleTimeoutMs", options.idleTimeoutMs, MAX_TIMER);
  yield* findRangeProblem("maxAnswerChars", options.maxAnswerChars, 100_000_000);
  yield* findHeaderProblems(headers, apiKey !== undefined);
  yield* findBodyProblems(body);
}

function* findRangeProblem(name: string, value: number | undefined, most: number): Generator<string> {
  if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= most)) return;
  yield `\`${name}\` must be an integer from 1 to ${most}`;
}

function* findHeaderProblems(headers: unknown, hasKey: boolean): Generator<string> {
  if (!isPlainObject(headers)) return yield "`headers` must be an object with string values";
  const taken = hasKey ? [...OWN_HEADERS, "authorization"] : OWN_HEADERS;
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]{1,256}$/.test(name)) yield "`headers` contains an invalid header name";
    else if (taken.includes(name.toLowerCase())) yield `\`headers\` must not contain ${name}`;
    else if (typeof value !== "string" || !/^[\x20-\x7e]{0,4096}$/.test(value)) {
      yield `the value of ${name} in \`headers\` must be printable ASCII (at most 4096 characters)`;
    }
  }
}

function* findBodyProblems(body: unknown): Generator<string> {
  if (!isPlainObject(body)) return yield "`body` must be a JSON object";
  for (const name of OWN_FIELDS.filter((field) => field in body)) yield `\`body\` must not contain ${name}`;
  if (!isSerializable(body)) yield "`body` must be serializable as JSON";
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

/** Only long header values are redacted, because short words occur in any text. */
function isLong(value: string): boolean {
  return value.length >= 8;
}
