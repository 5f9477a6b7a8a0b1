/**
 * @fileoverview Spans and metrics that follow the OpenTelemetry conventions for MCP. They never contain arguments,
 * results, or messages.
 * @module app/telemetry/telemetry
 */
import { performance } from "node:perf_hooks";
import type * as OpenTelemetry from "@opentelemetry/api";
import type { Operation } from "tenon";
import { isInstance } from "@tenon/internal/thrown";
import { isJsonObject } from "@tenon/internal/json";
import { clean } from "@tenon/internal/security/safe-text";
import { type ErrorName, ERRORS, McpError, TRAITS } from "tenon/protocol";
import { formatTraceparent, readTrace } from "../context/trace-context.js";
import { METHOD_OF } from "../context/operation-methods.js";
import type { Outcome } from "./outcome.js";

/** Records spans and metrics for operations. */
export interface Telemetry {
  /** Starts a span for an operation. */
  start(operation: Operation): OperationSpan;
}

/** Span for one operation. */
export interface OperationSpan {
  /** The span's `traceparent`, to pass on in outgoing requests. `undefined` if no OpenTelemetry SDK is registered. */
  readonly traceparent: string | undefined;
  /** Runs the operation with this span as the active one. Spans created inside become its children. */
  run<T>(task: () => T): T;
  /** Ends the span and records the duration. */
  end(outcome: Outcome): void;
}

/**
 * Loads the OpenTelemetry API for `standard()`. Spans and metrics go to the OpenTelemetry SDK that the application
 * registers. Without an SDK, they are discarded.
 *
 * @example standard({ telemetry: await loadTelemetry() })
 */
export async function loadTelemetry(
  options: {
    /** Monotonic clock in milliseconds. @default `performance.now` */
    readonly now?: () => number;
  } = {},
): Promise<Telemetry> {
  const { now = () => performance.now() } = options;
  // Imported lazily, so that servers without telemetry start faster.
  return createTelemetry(await import("@opentelemetry/api"), now);
}

function createTelemetry(api: typeof OpenTelemetry, now: () => number): Telemetry {
  const tracer = api.trace.getTracer(SCOPE);
  const durations = createDurations(api);
  return {
    start(operation) {
      const attributes = attributesOf(operation);
      const started = now();
      const { context, link } = parentOf(api, operation);
      const span = tracer.startSpan(
        nameOf(operation),
        {
          kind: api.SpanKind.SERVER,
          attributes: { ...attributes, ...spanAttributesOf(operation) },
          ...(link === undefined ? {} : { links: [{ context: link }] }),
        },
        context,
      );
      const within = api.trace.setSpan(context, span);
      const place = span.spanContext();
      return {
        traceparent: api.isSpanContextValid(place)
          ? formatTraceparent({ traceId: place.traceId, spanId: place.spanId, flags: place.traceFlags })
          : undefined,
        run: (task) => api.context.with(within, task),
        end(outcome) {
          const failure = failureAttributes(operation, outcome);
          if (failure !== undefined) {
            span.setAttributes(failure);
            span.setStatus({ code: api.SpanStatusCode.ERROR });
          }
          span.end();
          durations().record((now() - started) / 1000, { ...attributes, ...failure }, within);
        },
      };
    },
  };
}

/** Looks up the histogram for each recording, because an SDK may be registered after the server is created. */
function createDurations(api: typeof OpenTelemetry): () => OpenTelemetry.Histogram {
  let provider: unknown;
  let histogram: OpenTelemetry.Histogram | undefined;
  return () => {
    const current = api.metrics.getMeterProvider();
    if (histogram === undefined || current !== provider) {
      provider = current;
      histogram = current.getMeter(SCOPE).createHistogram("mcp.server.operation.duration", {
        description: "Duration of an MCP request, from receiving it to sending its result.",
        unit: "s",
        advice: { explicitBucketBoundaries: BUCKETS },
      });
    }
    return histogram;
  };
}

/** Uses the client's span as the parent. The active span, such as the HTTP request's, becomes a link. */
function parentOf(api: typeof OpenTelemetry, { call }: Operation) {
  const active = api.context.active();
  const trace = readTrace(call);
  if (trace === undefined) return { context: active, link: undefined };
  const { parent, tracestate } = trace;
  const remote = {
    traceId: parent.traceId,
    spanId: parent.spanId,
    traceFlags: parent.flags,
    isRemote: true,
    ...(tracestate === undefined ? {} : { traceState: api.createTraceState(tracestate) }),
  };
  const around = api.trace.getSpanContext(active);
  const link = around !== undefined && api.isSpanContextValid(around) ? around : undefined;
  return { context: api.trace.setSpanContext(active, remote), link };
}

/** Returns the span name. Resource URIs are omitted, because they have high cardinality. */
function nameOf({ kind, name }: Operation): string {
  return kind === "resource" ? METHOD_OF[kind] : `${METHOD_OF[kind]} ${name}`;
}

function attributesOf({ kind, name, call }: Operation): Record<string, string> {
  return {
    "mcp.method.name": METHOD_OF[kind],
    "mcp.protocol.version": call.client.revision,
    ...(kind === "tool" ? { "gen_ai.tool.name": name, "gen_ai.operation.name": "execute_tool" } : {}),
    ...(kind === "prompt" ? { "gen_ai.prompt.name": name } : {}),
  };
}

function spanAttributesOf({ kind, args, call }: Operation): Record<string, string> {
  const uri = kind === "resource" && isJsonObject(args) ? args["uri"] : undefined;
  return {
    "jsonrpc.request.id": String(call.id).slice(0, MAX_ID),
    ...(typeof uri === "string" ? { "mcp.resource.uri": clean(uri) } : {}),
  };
}

/** Returns the error attributes. A failed tool returns a result; other failures are JSON-RPC errors. */
function failureAttributes({ kind, call }: Operation, outcome: Outcome): Record<string, string> | undefined {
  if (outcome.isSuccess) return undefined;
  if (kind === "tool") return { "error.type": "tool_error" };
  // Errors that are not meant for clients are sent as internal errors.
  const name = isInstance(outcome.error, McpError) ? outcome.errorCode : "INTERNAL_ERROR";
  const code = String(rpcCode(name, TRAITS[call.client.revision].stateless));
  return { "error.type": code, "rpc.response.status_code": code };
}

function rpcCode(name: ErrorName, isModern: boolean): number {
  const { rpc, modernRpc } = ERRORS[name];
  return isModern ? (modernRpc ?? rpc) : rpc;
}

const SCOPE = "tenon";
const MAX_ID = 128;

/** Bucket boundaries in seconds, as specified by the conventions. */
const BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
