/**
 * @fileoverview What one operation is known by, in its logs and in what it asks of others.
 * @module app/context/request-context
 */

/** One operation, traceable from its start to its end. It is frozen: a step below gets a child. */
export interface RequestContext {
  /** Unique for every context. */
  readonly requestId: string;
  /** When the operation began, as ISO 8601. */
  readonly timestamp: string;
  readonly operation?: string;
  /** The `requestId` of the context that this one was made under. */
  readonly parentRequestId?: string;
  /** This operation's place in a trace (W3C Trace Context), where the request belongs to one. */
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly [key: string]: unknown;
}

/** Input of a new context. Other members are kept as they are. */
export interface ContextInput {
  readonly operation?: string;
  /** When the operation began, in milliseconds since the epoch, where that was not just now. */
  readonly startedAt?: number;
  /**
   * What this operation is part of: a context, the `call` of a handler, or the `extra` of the official SDK. Only its
   * id and its trace are read, and of a context of ours the members that are not about one operation.
   */
  readonly parentContext?: unknown;
  readonly [key: string]: unknown;
}

/** Headers for a request to another service, so that it joins the trace; none where there is no trace. */
export function traceHeaders(context: RequestContext): { readonly [name: string]: string } {
  const { traceparent, tracestate } = context;
  if (traceparent === undefined) return {};
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}
