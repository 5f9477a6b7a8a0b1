/**
 * @fileoverview Request contexts, which identify an operation in log entries and outgoing requests.
 * @module app/context/request-context
 */

/** Frozen context for one operation. Nested operations get a child context. */
export interface RequestContext {
  /** Unique ID of this context. Child contexts have their own. */
  readonly requestId: string;
  /** Start time in ISO 8601. */
  readonly timestamp: string;
  readonly operation?: string;
  /** The `requestId` of the parent context. */
  readonly parentRequestId?: string;
  /** W3C Trace Context position, if the request is part of a trace. */
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly [key: string]: unknown;
}

/** Input for a new context. Additional members are copied to the context. */
export interface ContextInput {
  readonly operation?: string;
  /** Start time in milliseconds since the epoch. @default now */
  readonly startedAt?: number;
  /**
   * Parent of this operation: a context, a handler's `call`, or the official SDK's `extra`. The child takes over the
   * parent's ID and trace. If the parent is a context, its other members are copied too, except `operation` and
   * `input`.
   */
  readonly parentContext?: unknown;
  readonly [key: string]: unknown;
}

/** Returns the trace headers for an outgoing request. The object is empty if the context is not part of a trace. */
export function traceHeaders(context: RequestContext): { readonly [name: string]: string } {
  const { traceparent, tracestate } = context;
  if (traceparent === undefined) return {};
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}
