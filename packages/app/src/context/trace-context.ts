/**
 * @fileoverview Parses and formats W3C Trace Context headers.
 * @module app/context/trace-context
 */
import type { JsonObject } from "@tenon/internal/json";
import { trimEndOf } from "@tenon/internal/text";
import type { HeaderReader } from "tenon/protocol";

/** Parsed `traceparent`. */
export interface TraceParent {
  /** 32 hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** 16 hexadecimal digits, not all zero. */
  readonly spanId: string;
  /** Eight flag bits. The lowest bit is set if the trace is recorded. */
  readonly flags: number;
}

/** Trace headers from a request. */
export interface TraceContext {
  readonly parent: TraceParent;
  /** Vendor-specific state, passed on unchanged. */
  readonly tracestate?: string;
  /** Application-defined key-value pairs as sent by the client. Do not trust them. */
  readonly baggage?: string;
}

/** Object that may carry trace headers, such as a `Call`. */
export interface TraceSource {
  readonly meta?: JsonObject | undefined;
  readonly header?: HeaderReader | undefined;
}

/** Parses a `traceparent`. Returns `undefined` if it is invalid. */
export function readTraceparent(text: unknown): TraceParent | undefined {
  if (typeof text !== "string" || text.length > MAX_TRACEPARENT) return undefined;
  const [, version, traceId = "", spanId = "", flags = "", rest] = TRACEPARENT.exec(text) ?? [];
  if (version === undefined || version === "ff") return undefined;
  // Only later versions may have additional fields.
  if (version === "00" && rest !== undefined) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

/** Formats a version 00 `traceparent`. */
export function formatTraceparent({ traceId, spanId, flags }: TraceParent): string {
  // Unknown flags are not passed on, because later versions may define them.
  return `00-${traceId}-${spanId}-${(flags & KNOWN_FLAGS).toString(16).padStart(2, "0")}`;
}

/** Parses a `tracestate`. Returns `undefined` if any member is malformed, as W3C Trace Context requires. */
export function readTracestate(text: unknown): string | undefined {
  if (typeof text !== "string" || text.length > MAX_TRACESTATE) return undefined;
  const members = text
    .split(",")
    .map((member) => trimEndOf(member, " \t").replace(/^[ \t]+/, ""))
    .filter((member) => member !== "");
  if (members.length === 0 || members.length > MAX_MEMBERS) return undefined;
  const keys = new Set(members.map((member) => member.slice(0, member.indexOf("="))));
  return keys.size === members.length && members.every((member) => MEMBER.test(member))
    ? members.join(",")
    : undefined;
}

/**
 * Reads a request's trace headers. The message's `_meta` takes precedence over the HTTP headers, because one HTTP
 * request may carry several messages.
 */
export function readTrace(source: TraceSource): TraceContext | undefined {
  const { meta } = source;
  // Fast path: most requests are not part of a trace.
  const inMeta = meta?.["traceparent"] === undefined ? undefined : readFrom((name) => meta[name]);
  if (inMeta !== undefined || typeof source.header?.("traceparent") !== "string") return inMeta;
  return readFrom((name) => source.header?.(name));
}

function readFrom(member: (name: string) => unknown): TraceContext | undefined {
  const parent = readTraceparent(member("traceparent"));
  if (parent === undefined) return undefined;
  const tracestate = readTracestate(member("tracestate"));
  const baggage = member("baggage");
  return {
    parent,
    ...(tracestate === undefined ? {} : { tracestate }),
    ...(typeof baggage === "string" && BAGGAGE.test(baggage) ? { baggage } : {}),
  };
}

const MAX_TRACEPARENT = 128;
const MAX_TRACESTATE = 512;
const MAX_MEMBERS = 32;
const KNOWN_FLAGS = 0b11;
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const MEMBER =
  /^(?:[a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const BAGGAGE = /^[\x20-\x7e]{1,1024}$/;
