/**
 * @fileoverview Responses of `handle`. The payload is already serialized; only the id is added per request.
 * @module core/response
 */
import type { Bytes } from "@tenon/internal/bytes";
import { encodeUtf8 } from "@tenon/internal/utf8";
import {
  type Era,
  type ErrorName,
  errorRow,
  type JsonRpcResponse,
  type RequestId,
  type RpcError,
} from "../../protocol/index.js";

/** Kind of a response. `cached` payloads are serialized at build time. */
export type ResponseKind = "cached" | "result" | "error" | "notification";

/** Three parts of a serialized response, in order. */
export interface ResponseParts {
  readonly prefix: string;
  /** Bytes are shared by all responses with the same content. */
  readonly payload: string | Uint8Array;
  readonly suffix: string;
}

/** Payload that is serialized once and shared by all responses that contain it. */
export class Payload {
  readonly text: string;
  readonly bytes: Bytes;
  /** Same memory with the closing brace of the response, so that a transport can write both together. */
  readonly closedBytes: Bytes;

  constructor(text: string) {
    this.text = text;
    this.closedBytes = encodeUtf8(`${text}}`);
    this.bytes = this.closedBytes.subarray(0, -1);
  }
}

/** Error name, HTTP status and data of an error response. */
interface Failure {
  readonly error: ErrorName;
  readonly status: number;
  readonly data: unknown;
}

/** Response to one message. */
export class McpResponse {
  readonly #kind: ResponseKind;
  readonly #id: RequestId | null;
  readonly #payload: string | Payload;
  readonly #failure: Failure | undefined;

  /** @internal created by the functions below */
  // oxlint-disable-next-line max-params -- created once per response: an options object would be one more allocation
  constructor(kind: ResponseKind, id: RequestId | null, payload: string | Payload, failure?: Failure) {
    this.#kind = kind;
    this.#id = id;
    this.#payload = payload;
    this.#failure = failure;
  }

  /** Id of the request, or null if it is unknown. */
  get id(): RequestId | null {
    return this.#id;
  }

  /** Kind of this response. */
  get kind(): ResponseKind {
    return this.#kind;
  }

  /** HTTP status of this response. */
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

  /** Returns true if there is nothing to send. */
  isEmpty(): boolean {
    return this.#kind === "notification";
  }

  /** Returns the response in three parts for transports to write. All are empty if there is nothing to send. */
  parts(): ResponseParts {
    if (this.#kind === "notification") return NOTHING;
    const payload = this.#payload;
    return {
      prefix: this.#prefix(),
      payload: typeof payload === "string" ? payload : payload.bytes,
      suffix: "}",
    };
  }

  /** Returns the response as a text with the id and shared bytes, if its payload was serialized at build time. */
  halves(): { readonly head: string; readonly tail: Uint8Array } | undefined {
    const payload = this.#payload;
    return typeof payload === "string" ? undefined : { head: this.#prefix(), tail: payload.closedBytes };
  }

  /** Returns the response as JSON text, or an empty string if there is nothing to send. */
  toText(): string {
    if (this.#kind === "notification") return "";
    const payload = this.#payload;
    return `${this.#prefix()}${typeof payload === "string" ? payload : payload.text}}`;
  }

  /** Returns the response as UTF-8 bytes. */
  toBytes(): Bytes {
    return encodeUtf8(this.toText());
  }

  /** Parses the response into an object. For tests and tools; transports write the text. */
  intoJsonRpc(): JsonRpcResponse | undefined {
    // The text was serialized from this shape.
    return this.isEmpty() ? undefined : (JSON.parse(this.toText()) as JsonRpcResponse);
  }

  #prefix(): string {
    const id = typeof this.#id === "number" ? this.#id : JSON.stringify(this.#id);
    return `{"jsonrpc":"2.0","id":${id},${this.#kind === "error" ? '"error"' : '"result"'}:`;
  }
}

/** Creates a response with a payload that was serialized at build time. */
export function cachedResponse(id: RequestId, payload: Payload): McpResponse {
  return new McpResponse("cached", id, payload);
}

/** Creates a response with a result that was serialized for this request. */
export function resultResponse(id: RequestId, payload: string): McpResponse {
  return new McpResponse("result", id, payload);
}

/** Response to a message that gets none. */
export const emptyResponse: McpResponse = /* @__PURE__ */ new McpResponse("notification", null, "");

/** Content of an error response. */
export interface ErrorReply {
  readonly error: ErrorName;
  readonly message: string;
  readonly data?: unknown;
  /** @default "legacy" */
  readonly era?: Era;
  /** Overrides the JSON-RPC code of the error table. */
  readonly code?: number | undefined;
}

/** Creates an error response. The era determines its JSON-RPC code and HTTP status. */
export function errorResponse(id: RequestId | null, reply: ErrorReply): McpResponse {
  const row = errorRow(reply.error);
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
 * Creates an error response for the application, such as for a body that is not a message.
 *
 * @example newErrorResponse(null, "PARSE_ERROR", "The message is not valid JSON.")
 */
export function newErrorResponse(id: RequestId | null, error: ErrorName, message: string): McpResponse {
  return errorResponse(id, { error, message });
}

/** Serializes an error. Data that cannot be serialized is omitted. */
function serializeError(error: RpcError, data: unknown): string {
  try {
    return JSON.stringify(data === undefined ? error : { ...error, data });
  } catch {
    return JSON.stringify(error);
  }
}

const NOTHING: ResponseParts = { prefix: "", payload: "", suffix: "" };

/** HTTP statuses of errors in the legacy eras. All other errors use 200. */
const LEGACY_STATUS: ReadonlyMap<ErrorName, number> = /* @__PURE__ */ new Map([
  ["PARSE_ERROR", 400],
  ["INVALID_REQUEST", 400],
  ["INVALID_ENVELOPE", 400],
  ["HEADER_MISMATCH", 400],
  ["UNSUPPORTED_VERSION", 400],
  ["INSUFFICIENT_SCOPE", 403],
  ["TOO_MANY_CALLS", 429],
]);
