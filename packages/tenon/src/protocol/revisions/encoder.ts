/**
 * @fileoverview Serializes results for one revision. Members that all of a server's results share are serialized once,
 * when the encoder is created.
 * @module tenon/protocol/revisions/encoder
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { Completion, PromptResult, ReadResult, ToolResult } from "../content.js";
import type { Implementation } from "../definitions.js";
import type { RequestId } from "../json-rpc.js";
import { META } from "./envelope.js";
import { projectPromptResult, projectToolResult } from "./project-content.js";
import { projectImplementation } from "./project-definitions.js";
import { MODERN_REVISIONS, type Revision, TRAITS, type Traits } from "./revision.js";

/** Cache hint: a result's lifetime and the caches that may store it. */
export interface CacheHint {
  readonly ttlMs: number;
  readonly cacheScope: "public" | "private";
}

/** Next cursor and cache hint for a list page. */
export interface ListPage {
  /** Cursor of the next page. Absent on the last page. */
  readonly nextCursor?: string | undefined;
  readonly cache: CacheHint;
}

/**
 * Serializes each kind of result to JSON text for one revision. Methods that take a handler's result throw if the
 * result does not serialize to a JSON object.
 */
export interface ResultEncoder {
  readonly traits: Traits;
  /** Serializes a tool result. A string is written as one text block. */
  toolResult(result: ToolResult | string, wrapsOutput: boolean): string;
  readResult(result: ReadResult, cache: CacheHint): string;
  promptResult(result: PromptResult): string;
  completion(completion: Completion): string;
  /** Serializes one list page. The items are already projected to the revision. */
  list(key: string, items: readonly JsonObject[], page: ListPage): string;
  /** Serializes the result of `initialize` or `server/discover`. */
  initializeResult(capabilities: JsonObject, instructions: string | undefined, cache: CacheHint): string;
  /** Serializes an `input_required` result, to which the client responds by repeating its request. */
  inputRequired(inputRequests: JsonObject, requestState: string): string;
  /** Serializes the result that ends a subscription. */
  subscriptionEnd(id: RequestId): string;
  /** Serializes an extension's result. Stateless revisions keep its `resultType`, and legacy revisions omit it. */
  custom(result: JsonObject): string;
  /** Serialized empty result. */
  readonly empty: string;
}

/** Creates a server's encoder for one revision. */
export function createEncoder(revision: Revision, server: Implementation): ResultEncoder {
  const traits = TRAITS[revision];
  return traits.stateless ? modernEncoder(traits, server) : legacyEncoder(traits, server);
}

function legacyEncoder(traits: Traits, server: Implementation): ResultEncoder {
  return {
    traits,
    toolResult(result, wrapsOutput) {
      if (typeof result === "string") return `{${writeText(result)}}`;
      const text = plainText(result);
      return text === undefined
        ? writeObject(projectToolResult(toPlain(result), traits, wrapsOutput))
        : `{${writeText(text)}}`;
    },
    readResult: (result) => writeObject(toPlain(result)),
    promptResult: (result) => writeObject(projectPromptResult(toPlain(result), traits)),
    completion: (completion) => writeObject({ completion: toPlain(completion) }),
    list: (key, items, { nextCursor }) => writeObject({ [key]: items, nextCursor }),
    initializeResult: (capabilities, instructions) =>
      writeObject({
        protocolVersion: traits.revision,
        capabilities,
        serverInfo: projectImplementation(server, traits),
        instructions,
      }),
    inputRequired: () => rejectLegacy("input_required", traits),
    subscriptionEnd: () => rejectLegacy("subscriptions/listen", traits),
    custom(result) {
      const { resultType: _, ...rest } = toPlain(result);
      return writeObject(rest);
    },
    empty: "{}",
  };
}

interface OwnMembers {
  readonly resultType?: unknown;
  readonly _meta?: JsonObject;
}

function modernEncoder(traits: Traits, server: Implementation): ResultEncoder {
  const serverInfo = projectImplementation(server, traits);
  const meta = JSON.stringify({ [META.serverInfo]: serverInfo });

  const head = `{"resultType":"complete","_meta":${meta}`;

  /**
   * Joins the shared head with the result's members. The result's `resultType` takes precedence. Its `_meta` is merged.
   */
  const write = (result: OwnMembers | JsonObject): string => {
    const { resultType, _meta } = result as OwnMembers;
    if (resultType === undefined && _meta === undefined) {
      const text = writeObject(result);
      return text === "{}" ? `${head}}` : `${head},${text.slice(1)}`;
    }
    return writeObject({
      ...result,
      resultType: typeof resultType === "string" ? resultType : "complete",
      _meta: { [META.serverInfo]: serverInfo, ..._meta },
    });
  };

  return {
    traits,
    toolResult(result) {
      if (typeof result === "string") return `${head},${writeText(result)}}`;
      const text = plainText(result);
      return text === undefined ? write(toPlain(result)) : `${head},${writeText(text)}}`;
    },
    readResult: (result, cache) => write({ ...toPlain(result), ...cache }),
    promptResult: (result) => write(toPlain(result)),
    completion: (completion) => write({ completion: toPlain(completion) }),
    list: (key, items, { nextCursor, cache }) => write({ [key]: items, nextCursor, ...cache }),
    initializeResult: (capabilities, instructions, cache) =>
      write({ supportedVersions: MODERN_REVISIONS, capabilities, instructions, ...cache }),
    inputRequired: (inputRequests, requestState) =>
      write({ resultType: "input_required", inputRequests, requestState }),
    subscriptionEnd: (id) => write({ _meta: { [META.subscriptionId]: id } }),
    custom: (result) => write(toPlain(result)),
    empty: write({}),
  };
}

/**
 * Returns the text of a result that is a single plain text block, which is the most common result. Serializing only the
 * text takes a fifth of the time.
 */
export function plainText(result: ToolResult): string | undefined {
  const { content } = result;
  const block = content.length === 1 ? content[0] : undefined;
  if (block?.type !== "text") return undefined;
  // Read once: a getter could return text for the check and something else for the reply.
  const { text } = block;
  if (typeof text !== "string") return undefined;
  return hasOnly(result, "content", "content") && hasOnly(block, "type", "text") ? text : undefined;
}

/** Returns true for a plain object whose only members are `first` and `second`. */
function hasOnly(object: object, first: string, second: string): boolean {
  for (const key in object) if (key !== first && key !== second) return false;
  return Object.getPrototypeOf(object) === Object.prototype;
}

/**
 * Calls the result's `toJSON` method, if any, before members are read or copied. A copy would keep an own `toJSON` and
 * lose an inherited one.
 */
function toPlain<Result extends object>(result: Result): Result {
  const { toJSON } = result as { readonly toJSON?: unknown };
  const plain: unknown = typeof toJSON === "function" ? toJSON.call(result, "") : result;
  if (!isJsonObject(plain)) throw new TypeError(NOT_AN_OBJECT);
  return plain as Result; // Safe: `toJSON` returns the members that the handler chose
}

/** Serializes an object. Responses are assembled from the text. @throws if the text is not a JSON object */
function writeObject(value: object): string {
  const text: unknown = JSON.stringify(value);
  if (typeof text !== "string" || !text.startsWith("{")) throw new TypeError(NOT_AN_OBJECT);
  return text;
}

const NOT_AN_OBJECT = "The handler's result must serialize to a JSON object.";

function writeText(text: string): string {
  return `"content":[{"type":"text","text":${quote(text)}}]`;
}

/** Minimum length at which searching for characters to escape is faster than `JSON.stringify`. */
const LONG_TEXT = 1_024;

/** Matches characters that may need escaping in JSON. */
const ESCAPED = /[^\u0020\u0021\u0023-\u005b\u005d-\ud7ff\ue000-\uffff]/;

/** Serializes a string. If nothing has to be escaped, this takes two thirds of the time of `JSON.stringify`. */
function quote(text: string): string {
  return text.length < LONG_TEXT || ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

function rejectLegacy(what: string, { revision }: Traits): never {
  throw new Error(`Protocol version ${revision} does not support "${what}".`);
}
