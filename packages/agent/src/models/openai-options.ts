/**
 * @fileoverview Options for OpenAI-compatible models. All invalid options are reported together. The error omits
 * values that may contain secrets: the API key, the base URL, and headers.
 * @module agent/models/openai-options
 */
import { isPlainObject, type JsonObject } from "@tenon/internal/json";
import { withPorts } from "@tenon/internal/ports";
import { trimEndOf } from "@tenon/internal/text";
import { isUrl } from "@tenon/internal/security/is-url";
import { kindOf, showValue } from "@tenon/internal/kind-of";
import {
  defineOptions,
  type Env,
  listEnvProblems,
  type OptionsOf,
  optionsFromEnv,
  parseOptions,
} from "@tenon/internal/options/define-options";
import { callback, custom, integer, number, oneOf, text } from "@tenon/internal/options/option-rows";
import { createRedact } from "./model-failures.js";
import { assertModelOptions, SERVED_MODEL_ROWS, throwIfAny } from "./model-options.js";

/** The signature of `fetch` that the model uses. */
export type ModelFetch = (url: string, init: RequestInit) => Promise<Response>;

/** Options for `createOpenAiModel`. */
export const OPENAI_OPTIONS = /* @__PURE__ */ defineOptions("createOpenAiModel", {
  /** Name of the model on the server. */
  model: text({ required: true, pattern: /\S/, env: "OPENAI_MODEL", aliases: ["modelName", "modelId"] }),
  /** API key, sent as `Authorization: Bearer <key>` to the base URL only. Local servers usually do not require one. */
  apiKey: text({
    pattern: /^[\x21-\x7e]{1,4096}$/,
    expected: "1 to 4096 characters long (printable ASCII without spaces)",
    got: kindOf,
    env: "OPENAI_API_KEY",
    aliases: ["key", "token"],
  }),
  /**
   * Base URL, without `/chat/completions`.
   * @default "https://api.openai.com/v1"
   */
  baseUrl: custom<string>({
    default: "https://api.openai.com/v1",
    expected: "an http or https URL without credentials, query, or fragment",
    accepts: isBaseUrl,
    got: kindOf,
    env: "OPENAI_BASE_URL",
    aliases: ["baseURL", "url", "endpoint"],
  }),
  ...SERVED_MODEL_ROWS,
  /** Format of tool calls: the provider's native calls, or XML tags for models without them. @default "native" */
  toolCalls: oneOf(["xml", "native"], { default: "native", env: "OPENAI_TOOL_CALLS", got: kindOf }),
  /** Sampling temperature, from 0 to 2. @default the server's default */
  temperature: number({ max: 2 }),
  /** Maximum number of tokens in a response, sent as `max_tokens`. @default the server's default */
  maxTokens: integer({ aliases: ["max_tokens", "maxOutputTokens"] }),
  /** Additional request headers. Long values are treated as secrets and never appear in errors. */
  headers: custom<Readonly<Record<string, string>>>({ default: {} }),
  /** Additional fields for the request body, such as `{ top_p: 0.9 }`. */
  body: custom<JsonObject>({ default: {} }),
  /** Function that sends requests. @default the global `fetch` */
  fetch: callback<ModelFetch>({ default: (url, init) => globalThis.fetch(url, init) }),
});

/** Options for `createOpenAiModel`. */
export interface OpenAiOptions extends OptionsOf<typeof OPENAI_OPTIONS> {}

/** Options with all defaults applied. */
export type OpenAiSettings = ReturnType<typeof resolveOpenAiOptions>;

/** Environment variables, such as `process.env`. */
export type ModelEnv = Env;

/**
 * Reads model options from `OPENAI_API_KEY`, `OPENAI_BASE_URL`, `OPENAI_MODEL`, and `OPENAI_TOOL_CALLS`. The API key
 * is optional if a base URL is set.
 *
 * @throws if any variable is missing or invalid; the message lists every problem
 *
 * @example createOpenAiModel({ ...openAiOptionsFromEnv(process.env), temperature: 0 })
 */
export function openAiOptionsFromEnv(env: ModelEnv): OpenAiOptions {
  const options = optionsFromEnv(OPENAI_OPTIONS, env);
  const { model = "", apiKey, baseUrl } = options;
  const needsKey = apiKey === undefined && baseUrl === undefined;
  throwIfAny([
    ...listEnvProblems(OPENAI_OPTIONS, env),
    ...(needsKey ? ["OPENAI_API_KEY is required unless OPENAI_BASE_URL is set."] : []),
  ]);
  return { toolCalls: "native", ...options, model };
}

/** Validates the options and applies the defaults. @throws if any option is invalid; the message lists every problem */
export function resolveOpenAiOptions(options: OpenAiOptions) {
  assertModelOptions(OPENAI_OPTIONS, options, findProblems(options));
  const { model, apiKey, baseUrl, temperature, maxTokens, headers, body, ...settings } = parseOptions(
    OPENAI_OPTIONS,
    options,
  );
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const allHeaders: Readonly<Record<string, string>> = {
    accept: "text/event-stream, application/json",
    ...Object.fromEntries(own),
    "content-type": "application/json",
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  return {
    ...settings,
    url: `${trimEndOf(new URL(baseUrl).href, "/")}/chat/completions`,
    headers: allHeaders,
    /** Fields that every request body contains. Those that are not set are missing in JSON. */
    body: structuredClone({ ...body, model, temperature, max_tokens: maxTokens }),
    ports: withPorts(settings.ports),
    /** Removes secrets from untrusted text. */
    redact: createRedact([apiKey ?? "", ...own.flatMap(([, value]) => value.split(" ")).filter(isLong)]),
  };
}

function isBaseUrl(text: unknown): boolean {
  if (typeof text !== "string" || /[?#\s]/.test(text) || !isUrl(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === "https:" || protocol === "http:") && username === "" && password === "";
}

/** Body fields that Tenon sets. */
const OWN_FIELDS = ["model", "messages", "stream", "tools"];
const OWN_HEADERS = ["content-type", "content-length", "host", "connection", "transfer-encoding"];

function* findProblems({ apiKey, headers = {}, body = {} }: OpenAiOptions): Generator<string> {
  yield* findHeaderProblems(headers, apiKey !== undefined);
  yield* findBodyProblems(body);
}

function* findHeaderProblems(headers: unknown, hasKey: boolean): Generator<string> {
  if (!isPlainObject(headers)) return yield `\`headers\` must be an object; got ${showValue(headers)}.`;
  const taken = hasKey ? [...OWN_HEADERS, "authorization"] : OWN_HEADERS;
  for (const [index, [name, value]] of Object.entries(headers).entries()) {
    // The name is not shown, because a misplaced value such as `Authorization: Bearer …` is a secret.
    if (!/^[\w!#$%&'*+.^`|~-]{1,256}$/.test(name))
      yield `\`headers\` contains an invalid name (entry ${index + 1}): use letters, digits, and hyphens.`;
    else if (taken.includes(name.toLowerCase()))
      yield `\`headers\` must not contain "${name}": Tenon sets this header.`;
    else if (typeof value !== "string" || !/^[\x20-\x7e]{0,4096}$/.test(value)) {
      yield `the value of "${name}" in \`headers\` must be at most 4096 characters long (printable ASCII).`;
    }
  }
}

function* findBodyProblems(body: unknown): Generator<string> {
  if (!isPlainObject(body)) return yield `\`body\` must be a JSON object; got ${showValue(body)}.`;
  for (const name of OWN_FIELDS.filter((field) => field in body)) {
    yield `\`body\` must not contain "${name}": Tenon sets this field.`;
  }
  if (!isSerializable(body)) yield "`body` must contain only JSON values without circular references.";
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
