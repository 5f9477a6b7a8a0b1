/**
 * @fileoverview What `handle` returns: a reply whose payload is already text or bytes. Per request only the id
 * is written around it.
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

/** How a reply came about. */
export type ResponseKind = "cached" | "result" | "error" | "notification";

/** The three pieces of a reply, to be written one after the other. */
export interface ResponseParts {
  readonly prefix: string;
  /** Shared by every reply with the same content when it is bytes. */
  readonly payload: string | Uint8Array;
  readonly suffix: string;
}

/** A payload serialized once and shared by every reply that carries it. */
export class Payload {
  readonly text: string;
  readonly bytes: Bytes;
  /** The same memory with the brace that ends every reply, so that a wire need not write that by itself. */
  readonly closedBytes: Bytes;

  constructor(text: string) {
    this.text = text;
    this.closedBytes = encodeUtf8(`${text}}`);
    this.bytes = this.closedBytes.subarray(0, -1);
  }
}

/** How a reply failed. */
interface Failure {
  readonly error: ErrorName;
  readonly status: number;
  readonly data: unknown;
}

/** A reply to one message. */
export class McpResponse {
  readonly #kind: ResponseKind;
  readonly #id: RequestId | null;
  readonly #payload: string | Payload;
  readonly #failure: Failure | undefined;

  /** @internal made by the functions below */
  // oxlint-disable-next-line max-params -- made once per reply: an options object would be one more allocation
  constructor(kind: ResponseKind, id: RequestId | null, payload: string | Payload, failure?: Failure) {
    this.#kind = kind;
    this.#id = id;
    this.#payload = payload;
    this.#failure = failure;
  }

  /** The id of the request, or null where that is not known. */
  get id(): RequestId | null {
    return this.#id;
  }

  /** How this reply came about. */
  get kind(): ResponseKind {
    return this.#kind;
  }

  /** The HTTP status that goes with this reply. */
  get status(): number {
    return this.#failure?.status ?? (this.#kind === "notification" ? 202 : 200);
  }

  /** The name of the error, where this is one. */
  get error(): ErrorName | undefined {
    return this.#failure?.error;
  }

  /** What the error says besides its message, where this is one. */
  get errorData(): unknown {
    return this.#failure?.data;
  }

  /** Whether there is nothing to send. */
  isEmpty(): boolean {
    return this.#kind === "notification";
  }

  /** The reply in pieces, for transports to write as they are; all empty where there is nothing to send. */
  parts(): ResponseParts {
    if (this.#kind === "notification") return NOTHING;
    const payload = this.#payload;
    return {
      prefix: this.#prefix(),
      payload: typeof payload === "string" ? payload : payload.bytes,
      suffix: "}",
    };
  }

  /** The reply in two pieces, if its payload was serialized at build: what differs, and bytes shared by all. */
  halves(): { readonly head: string; readonly tail: Uint8Array } | undefined {
    const payload = this.#payload;
    return typeof payload === "string" ? undefined : { head: this.#prefix(), tail: payload.closedBytes };
  }

  /** The reply as JSON text; empty where there is nothing to send. */
  toText(): string {
    if (this.#kind === "notification") return "";
    const payload = this.#payload;
    return `${this.#prefix()}${typeof payload === "string" ? payload : payload.text}}`;
  }

  /** The reply as UTF-8 bytes. */
  toBytes(): Bytes {
    return encodeUtf8(this.toText());
  }

  /** The reply as an object, parsed anew: for tests and tools, not for serving. */
  intoJsonRpc(): JsonRpcResponse | undefined {
    // What was serialized here is a reply of exactly this shape.
    return this.isEmpty() ? undefined : (JSON.parse(this.toText()) as JsonRpcResponse);
  }

  #prefix(): string {
    const id = typeof this.#id === "number" ? this.#id : JSON.stringify(this.#id);
    return `{"jsonrpc":"2.0","id":${id},${this.#kind === "error" ? '"error"' : '"result"'}:`;
  }
}

/** A reply with a payload that was serialized at build. */
export function cachedResponse(id: RequestId, payload: Payload): McpResponse {
  return new McpResponse("cached", id, payload);
}

/** A reply with a result serialized for this request. */
export function resultResponse(id: RequestId, payload: string): McpResponse {
  return new McpResponse("result", id, payload);
}

/** No reply. */
export const emptyResponse: McpResponse = /* @__PURE__ */ new McpResponse("notification", null, "");

/** What an error reply says. */
export interface ErrorReply {
  readonly error: ErrorName;
  readonly message: string;
  readonly data?: unknown;
  /** @default "legacy" */
  readonly era?: Era;
  /** Replaces the number of the table. */
  readonly code?: number | undefined;
}

/** A reply with an error, its number and HTTP status by the era that reads it. */
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
 * An error reply of the application's own making, such as for a body that never became a message.
 *
 * @example newErrorResponse(null, "PARSE_ERROR", "message is not valid JSON")
 */
export function newErrorResponse(id: RequestId | null, error: ErrorName, message: string): McpResponse {
  return errorResponse(id, { error, message });
}

/** Data that cannot be JSON is left out rather than the reply. */
function serializeError(error: RpcError, data: unknown): string {
  try {
    return JSON.stringify(data === undefined ? error : { ...error, data });
  } catch {
    return JSON.stringify(error);
  }
}

const NOTHING: ResponseParts = { prefix: "", payload: "", suffix: "" };

/** In the legacy eras a request that was understood is answered with 200, whatever the answer. */
const LEGACY_STATUS: ReadonlyMap<ErrorName, number> = /* @__PURE__ */ new Map([
  ["PARSE_ERROR", 400],
  ["INVALID_REQUEST", 400],
  ["INVALID_ENVELOPE", 400],
  ["HEADER_MISMATCH", 400],
  ["UNSUPPORTED_VERSION", 400],
  ["INSUFFICIENT_SCOPE", 403],
  ["TOO_MANY_CALLS", 429],
]);
