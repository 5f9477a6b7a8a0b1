/**
 * @fileoverview Writes results as the text of one revision. What every result of a server shares is serialized
 * when the encoder is made, and joined as text.
 * @module protocol/revisions/encoder
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { Completion, PromptResult, ReadResult, ToolResult } from "../content.js";
import type { Implementation } from "../definitions.js";
import type { RequestId } from "../json-rpc.js";
import { META } from "./envelope.js";
import { projectPromptResult, projectToolResult } from "./project-content.js";
import { projectImplementation } from "./project-definitions.js";
import { MODERN_REVISIONS, type Revision, TRAITS, type Traits } from "./revision.js";

/** Caching hint: how long a result may be kept, and by whom. */
export interface CacheHint {
  readonly ttlMs: number;
  readonly cacheScope: "public" | "private";
}

/** The place of a page in its list, and how long it may be kept. */
export interface ListPage {
  /** Leads to the next page; absent on the last one. */
  readonly nextCursor?: string | undefined;
  readonly cache: CacheHint;
}

/**
 * One revision's way to write each kind of result, as JSON text. Methods that take the result of a handler throw if it
 * does not serialize to a JSON object.
 */
export interface ResultEncoder {
  readonly traits: Traits;
  /** A tool's result; plain text is one of a single text block. */
  toolResult(result: ToolResult | string, wrapsOutput: boolean): string;
  readResult(result: ReadResult, cache: CacheHint): string;
  promptResult(result: PromptResult): string;
  completion(completion: Completion): string;
  /** A page of a list, its items already projected. */
  list(key: string, items: readonly JsonObject[], page: ListPage): string;
  /** The result of `initialize` or `server/discover`. */
  initializeResult(capabilities: JsonObject, instructions: string | undefined, cache: CacheHint): string;
  /** A question instead of a result. */
  inputRequired(inputRequests: JsonObject, requestState: string): string;
  /** The end of a subscription. */
  subscriptionEnd(id: RequestId): string;
  /** An extension's result; a `resultType` of its own is kept. */
  custom(result: JsonObject): string;
  /** A result that says nothing but "done". */
  readonly empty: string;
}

/** The encoder of one revision for one server. */
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
    inputRequired: () => rejectLegacy("input_required"),
    subscriptionEnd: () => rejectLegacy("subscriptions/listen"),
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

  /** Joins the shared head and the result's own members; a type or `_meta` of its own stands in, or beside, ours. */
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
 * The text of a result that is one plain text block and nothing else, as most are. Around it everything is known:
 * writing only the text takes a fifth of the time of serializing the whole.
 */
function plainText(result: ToolResult): string | undefined {
  const { content } = result;
  const block = content.length === 1 ? content[0] : undefined;
  if (block?.type !== "text") return undefined;
  // Read once: a getter could return text for the check and something else for the reply.
  const { text } = block;
  if (typeof text !== "string") return undefined;
  return hasOnly(result, "content", "content") && hasOnly(block, "type", "text") ? text : undefined;
}

/** Checks whether an object is plain data of these members alone. */
function hasOnly(object: object, first: string, second: string): boolean {
  for (const key in object) if (key !== first && key !== second) return false;
  return Object.getPrototypeOf(object) === Object.prototype;
}

/**
 * Calls the `toJSON` of a result, if it has one. This happens before members are read or copied, because a copy would
 * keep an own `toJSON` and lose an inherited one.
 */
function toPlain<Result extends object>(result: Result): Result {
  const { toJSON } = result as { readonly toJSON?: unknown };
  const plain: unknown = typeof toJSON === "function" ? toJSON.call(result, "") : result;
  if (!isJsonObject(plain)) throw new TypeError(NOT_AN_OBJECT);
  return plain as Result; // the handler chose these members to be sent
}

/** Serializes an object. Replies are assembled from this text, so anything but the text of a JSON object is an error. */
function writeObject(value: object): string {
  const text: unknown = JSON.stringify(value);
  if (typeof text !== "string" || !text.startsWith("{")) throw new TypeError(NOT_AN_OBJECT);
  return text;
}

const NOT_AN_OBJECT = "The result of a handler must serialize to a JSON object.";

function writeText(text: string): string {
  return `"content":[{"type":"text","text":${quote(text)}}]`;
}

/** From this length on, a search for characters to escape is worth its while. */
const LONG_TEXT = 1_024;

/** Anything but the characters that stand for themselves in JSON. */
const ESCAPED = /[^\u0020\u0021\u0023-\u005b\u005d-\ud7ff\ue000-\uffff]/;

/** Writes a string as JSON. Where nothing has to be escaped, that takes two thirds of the time of `JSON.stringify`. */
function quote(text: string): string {
  return text.length < LONG_TEXT || ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

function rejectLegacy(what: string): never {
  throw new Error(`${what} cannot be said in a legacy revision`);
}
