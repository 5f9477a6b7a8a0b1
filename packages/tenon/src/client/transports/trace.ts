/**
 * @fileoverview Reports messages as they are sent and received, for tools that show them. The values of credentials in
 * headers are replaced.
 * @module tenon/client/transports/trace
 */
import { systemPorts } from "@tenon/internal/ports";
import { showHeader } from "@tenon/internal/security/secret-headers";

/** Message that a client has sent or received. */
export interface TracedMessage {
  readonly direction: "sent" | "received";
  /** Time in milliseconds since the epoch. */
  readonly at: number;
  /** Text of the message. Empty for an HTTP request or response that does not contain a message. */
  readonly text: string;
  /** HTTP request or response with the message. Absent over stdio. The messages of an event stream share a response. */
  readonly http?: TracedHttp;
}

/** HTTP request or response. */
export interface TracedHttp {
  /** Method of a request. */
  readonly method?: string;
  /** Status of a response. */
  readonly status?: number;
  /** Names in lower case, and values. `Authorization`, cookies, and other credentials have the value `[REDACTED]`. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Function that is called with every message. Its errors are ignored. */
export type Trace = (message: TracedMessage) => void;

/** Reports a message over stdio. */
export function traceMessage(
  trace: Trace | undefined,
  direction: TracedMessage["direction"],
  text: string,
): void {
  if (trace !== undefined) report(trace, { direction, at: systemPorts.now(), text });
}

/** Reports an HTTP request. */
export function traceRequest(
  trace: Trace | undefined,
  {
    method,
    headers,
    body = "",
  }: { readonly method: string; readonly headers: Headers; readonly body?: string },
): void {
  if (trace === undefined) return;
  const http = { method, headers: toShownHeaders(headers) };
  report(trace, { direction: "sent", at: systemPorts.now(), text: body, http });
}

/** Reports an HTTP response, or one message of it. */
export function traceResponse(
  trace: Trace | undefined,
  { status, headers }: { readonly status: number; readonly headers: Headers },
  text: string,
): void {
  if (trace === undefined) return;
  const http = { status, headers: toShownHeaders(headers) };
  report(trace, { direction: "received", at: systemPorts.now(), text, http });
}

function report(trace: Trace, message: TracedMessage): void {
  try {
    trace(message);
  } catch {
    // A tool that shows messages must not change them.
  }
}

function toShownHeaders(headers: Headers): TracedHttp["headers"] {
  return [...headers].map(([name, value]) => [name, showHeader(name, value)]);
}
