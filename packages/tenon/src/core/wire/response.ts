/**
 * @fileoverview Responses that `handle` returns. The payload is already serialized. Only the ID is added per request.
 * @module tenon/core/wire/response
 */
import type { Bytes } from "@tenon/internal/bytes";
import { encodeUtf8 } from "@tenon/internal/utf8";
import {
  type Era,
  type ErrorName,
  type JsonRpcResponse,
  type RequestId,
  type ResultEncoder,
  type RpcError,
} from "../../protocol/index.js";
import { ERRORS } from "../../protocol/errors.js";
import type { Connection } from "./connection.js";
import { toTextResult } from "./text-result.js";

/** Response kind. `cached` payloads are serialized at build time. A `notification` is never sent. */
export type ResponseKind = "cached" | "result" | "error" | "notification";

/** Serialized response in three parts, in the order in which they are written. */
export interface ResponseParts {
  readonly prefix: string;
  /** Serialized result or error. Bytes are shared between responses and must not be modified. */
  readonly payload: string | Uint8Array;
  readonly suffix: string;
}

/** Result that is serialized once and shared by all responses that contain it. */
export class Payload {
  readonly text: string;
  readonly bytes: Bytes;
  /** `bytes` plus the response's closing brace, so that a transport can write both at once. Shares memory with it. */
  readonly closedBytes: Bytes;

  constructor(text: string) {
    this.text = text;
    this.closedBytes = encodeUtf8(`${text}}`);
    this.bytes = this.closedBytes.subarray(0, -1);
  }
}

/** Error name, HTTP status, and data for an error response. */
interface Failure {
  readonly error: ErrorName;
  readonly status: number;
  readonly data: unknown;
}

/** Response to one message. It can be written as text, bytes, or parts. */
export class McpResponse {
  readonly #kind: ResponseKind;
  readonly #id: RequestId | null;
  readonly #payload: string | Payload;
  readonly #failure: Failure | undefined;
  /** Encoder of a text result, whose payload is the text itself. Absent if the payload is JSON. */
  readonly #encoder: ResultEncoder | undefined;

  /** @internal created by the functions below */
  // oxlint-disable-next-line max-params -- created once per response: an options object would be one more allocation
  constructor(
    kind: ResponseKind,
    id: RequestId | null,
    payload: string | Payload,
    failure?: Failure,
    encoder?: ResultEncoder,
  ) {
    this.#kind = kind;
    this.#id = id;
    this.#payload = payload;
    this.#failure = failure;
    this.#encoder = encoder;
  }

  /** Request ID, or null if it could not be read. */
  get id(): RequestId | null {
    return this.#id;
  }

  /** Response kind. */
  get kind(): ResponseKind {
    return this.#kind;
  }

  /** HTTP status to send with this response. */
  get status(): number {
    return this.#failure?.status ?? (this.#kind === "notification" ? 202 : 200);
  }

  /** Error name, if this is an error response. */
  get error(): ErrorName | undefined {
    return this.#failure?.error;
  }

  /** Error data, if this is an error response. */
  get errorData(): unknown {
    return this.#failure?.data;
  }

  /** Returns true if the message does not get a response. */
  isEmpty(): boolean {
    return this.#kind === "notification";
  }

  /** Returns the response in three parts for a transport to write. All are empty if the message gets no response. */
  parts(): ResponseParts {
    if (this.#kind === "notification") return NOTHING;
    const payload = this.#payload;
    return {
      prefix: this.#prefix(),
      payload: typeof payload === "string" ? this.#payloadText() : payload.bytes,
      suffix: "}",
    };
  }

  /** Returns a cached response as a text head with the ID and a tail of shared bytes. Undefined for other kinds. */
  halves(): { readonly head: string; readonly tail: Uint8Array } | undefined {
    const payload = this.#payload;
    return typeof payload === "string" ? undefined : { head: this.#prefix(), tail: payload.closedBytes };
  }

  /** Serializes the response. Returns an empty string if the message gets no response. */
  toText(): string {
    return this.#kind === "notification" ? "" : `${this.#prefix()}${this.#payloadText()}}`;
  }

  /** Serializes the response as UTF-8 bytes. */
  toBytes(): Bytes {
    return encodeUtf8(this.toText());
  }

  /** Returns the response as an object, for tests and tools. Transports write the text instead. */
  intoJsonRpc(): JsonRpcResponse | undefined {
    return this.toJSON();
  }

  /**
   * Returns the response as an object, so that `JSON.stringify(response)` and Express's `res.json` write it. Each call
   * returns a new object that equals the parsed text.
   */
  toJSON(): JsonRpcResponse | undefined {
    if (this.#kind === "notification") return undefined;
    const payload = this.#payload;
    // JSON does not have a negative zero.
    const id = this.#id === 0 ? 0 : this.#id;
    const encoder = this.#encoder;
    if (encoder !== undefined && typeof payload === "string")
      return { jsonrpc: "2.0", id, result: toTextResult(payload, encoder) };
    const value: unknown = JSON.parse(this.#payloadText());
    // Safe: the text was serialized from this shape.
    return this.#kind === "error"
      ? { jsonrpc: "2.0", id, error: value as RpcError }
      : { jsonrpc: "2.0", id, result: value };
  }

  #prefix(): string {
    const id = typeof this.#id === "number" ? this.#id : JSON.stringify(this.#id);
    return `{"jsonrpc":"2.0","id":${id},${this.#kind === "error" ? '"error"' : '"result"'}:`;
  }

  #payloadText(): string {
    const payload = this.#payload;
    if (typeof payload !== "string") return payload.text;
    return this.#encoder === undefined ? payload : this.#encoder.toolResult(payload, false);
  }
}

/** Creates a response from a payload that was serialized at build time. */
export function cachedResponse(id: RequestId, payload: Payload): McpResponse {
  return new McpResponse("cached", id, payload);
}

/** Creates a response from a result that was serialized for this request. */
export function resultResponse(id: RequestId, payload: string): McpResponse {
  return new McpResponse("result", id, payload);
}

/** Creates a response with a text as the result of a tool. The result is serialized on demand. */
export function textResponse(id: RequestId, text: string, encoder: ResultEncoder): McpResponse {
  return new McpResponse("result", id, text, undefined, encoder);
}

/** Placeholder for messages that get no response, such as notifications. */
export const emptyResponse: McpResponse = /* @__PURE__ */ new McpResponse("notification", null, "");

/** Error to send in a response. */
export interface ErrorReply {
  readonly error: ErrorName;
  readonly message: string;
  readonly data?: unknown;
  /**
   * Era that determines the JSON-RPC code and HTTP status.
   * @default "legacy"
   */
  readonly era?: Era;
  /** JSON-RPC code to use instead of the one in the error table. */
  readonly code?: number | undefined;
}

/** Returns the error response to a call that a connection cannot take, or `undefined` if it can. */
export function busyResponse(
  connection: Connection,
  id: RequestId,
  era: Era = "legacy",
): McpResponse | undefined {
  const isRepeated = connection.isInFlight(id);
  if (!isRepeated && !connection.isFull()) return undefined;
  const limit = `Too many calls in flight on this connection (limit: ${connection.maxCalls}). Try again later.`;
  return isRepeated
    ? errorResponse(id, { error: "INVALID_REQUEST", message: IN_FLIGHT, era })
    : errorResponse(id, { error: "TOO_MANY_CALLS", message: limit, era });
}

const IN_FLIGHT = "A call with this ID is already in flight. Use a new ID.";

/** Creates an error response. The era determines its JSON-RPC code and HTTP status. */
export function errorResponse(id: RequestId | null, reply: ErrorReply): McpResponse {
  const row = ERRORS[reply.error];
  const modern = reply.era === "modern";
  const rpcError: RpcError = {
    code: reply.code ?? (modern ? (row.modernRpc ?? row.rpc) : row.rpc),
    message: reply.message,
  };
  const status = modern ? row.wire : (LEGACY_STATUS.get(reply.error) ?? 200);
  return new McpResponse("error", id, serializeError(rpcError, reply.data), {
    error: reply.error,
    status,
    data: reply.data,
  });
}

/**
 * Creates an error response outside `handle`, such as for a request body that is not valid JSON.
 *
 * @example newErrorResponse(null, "PARSE_ERROR", "The message is not valid JSON.")
 */
export function newErrorResponse(id: RequestId | null, error: ErrorName, message: string): McpResponse {
  return errorResponse(id, { error, message });
}

/** Serializes an error. Omits data that cannot be represented in JSON. */
function serializeError(error: RpcError, data: unknown): string {
  try {
    return JSON.stringify(data === undefined ? error : { ...error, data });
  } catch {
    return JSON.stringify(error);
  }
}

const NOTHING: ResponseParts = { prefix: "", payload: "", suffix: "" };

/** HTTP statuses for errors in the legacy eras. Errors that are not listed use 200. */
const LEGACY_STATUS: ReadonlyMap<ErrorName, number> = /* @__PURE__ */ new Map([
  ["PARSE_ERROR", 400],
  ["INVALID_REQUEST", 400],
  ["INVALID_ENVELOPE", 400],
  ["HEADER_MISMATCH", 400],
  ["UNSUPPORTED_VERSION", 400],
  ["INSUFFICIENT_SCOPE", 403],
  ["TOO_MANY_CALLS", 429],
]);
