/**
 * @fileoverview What an OpenAI-compatible model is told, and the check that names everything that is wrong with it at
 * once, and no value of it.
 * @module agent/models/openai-options
 */
import { isPlainObject, type JsonObject } from "@tenon/internal/json";
import { type Ports, withPorts } from "@tenon/internal/ports";
import { createRedact } from "./openai-failures.js";

/** The part of `fetch` that is used. */
export type ModelFetch = (url: string, init: RequestInit) => Promise<Response>;

/** Where a model is, and how it is asked. */
export interface OpenAiOptions {
  /** The model's name, as its server knows it. */
  readonly model: string;
  /** Sent as `Authorization: Bearer <key>` to the base URL, and nowhere else. Local servers need none. */
  readonly apiKey?: string | undefined;
  /**
   * The address that `/chat/completions` is under.
   * @default "https://api.openai.com/v1"
   */
  readonly baseUrl?: string | undefined;
  /**
   * Whether the model calls tools by tags in its text, or by the provider's function calls.
   * @default "xml"
   */
  readonly toolCalls?: "xml" | "native" | undefined;
  /** How freely the model chooses its words, from 0 to 2. @default the server's */
  readonly temperature?: number | undefined;
  /** Tokens that an answer may have, sent as `max_tokens`. @default the server's */
  readonly maxTokens?: number | undefined;
  /** More headers. They are treated as secrets. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** More fields of the request, such as `{ top_p: 0.9 }`. */
  readonly body?: JsonObject | undefined;
  /**
   * How often the model is asked, at most, until an answer begins.
   * @default 4
   */
  readonly maxAttempts?: number | undefined;
  /**
   * Milliseconds without a byte after which the server is given up.
   * @default 120000
   */
  readonly idleTimeoutMs?: number | undefined;
  /**
   * Characters that an answer may have, thoughts and calls included.
   * @default 1000000
   */
  readonly maxAnswerChars?: number | undefined;
  /** Makes the requests. @default the global `fetch` */
  readonly fetch?: ModelFetch | undefined;
  /** Clock, timers and randomness, for tests. */
  readonly ports?: Partial<Ports> | undefined;
}

/** How a model is asked, with everything said. */
export interface OpenAiSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The fields of every request. */
  readonly body: JsonObject;
  readonly toolCalls: "xml" | "native";
  readonly maxAttempts: number;
  readonly idleTimeoutMs: number;
  readonly maxAnswerChars: number;
  readonly fetch: ModelFetch;
  readonly ports: Ports;
  /** Takes secrets out of foreign text. */
  readonly redact: (text: string) => string;
}

/** Puts options and defaults together. @throws naming every option that is wrong */
export function resolveOpenAiOptions(options: OpenAiOptions): OpenAiSettings {
  const problems = [...findProblems(options)];
  if (problems.length > 0) throw new Error(`The model is not configured: ${problems.join("; ")}`);
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

/** Whether text is an address that a key may be sent to. */
export function isBaseUrl(text: unknown): text is string {
  if (typeof text !== "string" || /[?#\s]/.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === "https:" || protocol === "http:") && username === "" && password === "";
}

/** Whether text can be sent as a key. */
export function isApiKey(text: unknown): text is string {
  return typeof text === "string" && /^[\x21-\x7e]{1,4096}$/.test(text);
}

/** What is wrong with an address, in words for people. */
export const BASE_URL_RULE = "must be an http or https address without credentials, query and fragment";
/** What is wrong with a key, in words for people. */
export const API_KEY_RULE = "must be printable ASCII without spaces, at most 4096 characters";

const DEFAULT_BASE_URL = "https://api.openai.com/v1";
const MAX_TIMER = 2_147_483_647;
/** What the request says by itself. */
const OWN_FIELDS = ["model", "messages", "stream", "tools"];
const OWN_HEADERS = ["content-type", "content-length", "host", "connection", "transfer-encoding"];

function* findProblems(options: OpenAiOptions): Generator<string> {
  const { model, apiKey, baseUrl, toolCalls = "xml", headers = {}, body = {} } = options;
  if (typeof model !== "string" || model.trim() === "") yield "model must be a name";
  if (apiKey !== undefined && !isApiKey(apiKey)) yield `apiKey ${API_KEY_RULE}`;
  if (baseUrl !== undefined && !isBaseUrl(baseUrl)) yield `baseUrl ${BASE_URL_RULE}`;
  if (toolCalls !== "xml" && toolCalls !== "native") yield 'toolCalls must be "xml" or "native"';
  const { temperature = 0 } = options;
  if (!(typeof temperature === "number" && temperature >= 0 && temperature <= 2)) {
    yield "temperature must be from 0 to 2";
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
  yield `${name} must be a whole number from 1 to ${most}`;
}

function* findHeaderProblems(headers: unknown, hasKey: boolean): Generator<string> {
  if (!isPlainObject(headers)) return yield "headers must be an object of texts";
  const taken = hasKey ? [...OWN_HEADERS, "authorization"] : OWN_HEADERS;
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]{1,256}$/.test(name))
      yield "headers must have names of letters, digits and hyphens";
    else if (taken.includes(name.toLowerCase())) yield `headers must not have ${name}`;
    else if (typeof value !== "string" || !/^[\x20-\x7e]{0,4096}$/.test(value)) {
      yield `headers must have printable ASCII as ${name}, at most 4096 characters`;
    }
  }
}

function* findBodyProblems(body: unknown): Generator<string> {
  if (!isPlainObject(body)) return yield "body must be a JSON object";
  for (const name of OWN_FIELDS.filter((field) => field in body)) yield `body must not have ${name}`;
  if (!isSerializable(body)) yield "body must be JSON";
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

/** Short words in headers are those that any text may have. */
function isLong(value: string): boolean {
  return value.length >= 8;
}
