/**
 * @fileoverview Identity of one operation, for its log entries and its outgoing requests.
 * @module app/context/request-context
 */

/** Frozen context of one operation. Nested operations get a child context. */
export interface RequestContext {
  /** Unique ID of the context. */
  readonly requestId: string;
  /** Start time of the operation, in ISO 8601. */
  readonly timestamp: string;
  readonly operation?: string;
  /** The `requestId` of the parent context. */
  readonly parentRequestId?: string;
  /** Position in the trace (W3C Trace Context), if the request belongs to one. */
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly [key: string]: unknown;
}

/** Input of a new context. Other members are kept unchanged. */
export interface ContextInput {
  readonly operation?: string;
  /** Start time in milliseconds since the epoch. @default now */
  readonly startedAt?: number;
  /**
   * Parent of this operation: a context, the `call` of a handler, or the `extra` of the official SDK. Only its ID and
   * trace are read. Members that do not belong to a single operation are copied from contexts created here.
   */
  readonly parentContext?: unknown;
  readonly [key: string]: unknown;
}

/** Returns trace headers for a request to another service. Returns no headers if there is no trace. */
export function traceHeaders(context: RequestContext): { readonly [name: string]: string } {
  const { traceparent, tracestate } = context;
  if (traceparent === undefined) return {};
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}
