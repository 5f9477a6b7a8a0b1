/**
 * @fileoverview Creates request contexts and provides the current one anywhere in a request's async call chain.
 * @module app/context/request-context-service
 */
import { isJsonObject } from "@tenon/internal/json";
import { type Ports, withPorts } from "@tenon/internal/ports";
import { Call } from "tenon/host";
import type { Operation } from "tenon";
import { isRequestId } from "tenon/protocol";
import type { ContextInput, RequestContext } from "./request-context.js";
import { METHOD_OF } from "./operation-methods.js";
import { createIds, type Ids } from "./ids.js";
import { currentScope, runInScope } from "./scope.js";
import {
  formatTraceparent,
  readTraceparent,
  readTracestate,
  readTrace,
  type TraceSource,
  type TraceParent,
} from "./trace-context.js";
import { createTimestamps } from "./timestamps.js";

/** Members that a service adds to every context, such as the application's name or environment. */
export type ContextConfig = { readonly [key: string]: unknown };

/** Input for an operation's root context. */
export interface OperationFacts {
  readonly operation: Operation;
  /** Start time in milliseconds since the epoch. */
  readonly startedAt: number;
  /** The `traceparent` of the operation's span, if telemetry is enabled. */
  readonly traceparent?: string | undefined;
}

/** Creates request contexts and tracks the current one. */
export interface RequestContextService {
  /** Replaces the members added to every new context, and returns them. */
  configure(config: ContextConfig): ContextConfig;
  /** Returns the members added to every new context. */
  getConfig(): ContextConfig;
  /** Creates a context. With `parentContext`, it is a child with its own ID, the parent's ID, and the same trace. */
  createRequestContext(input?: ContextInput): RequestContext;
  /** Creates an operation's root context. `standard()` calls this for every operation. */
  ofOperation(facts: OperationFacts): RequestContext;
  /** Runs a function with this context as the current one. Async work that the function starts inherits it. */
  run<T>(context: RequestContext, run: () => T): T;
  /** Returns the current context, or `undefined` outside of a request. */
  current(): RequestContext | undefined;
}

/** Creates an independent service with its own configuration. */
export function createRequestContextService(
  options: { readonly ports?: Partial<Ports>; readonly config?: ContextConfig } = {},
): RequestContextService {
  const { now, randomBytes } = withPorts(options.ports);
  const ids = createIds(randomBytes);
  const toTimestamp = createTimestamps();
  let config: ContextConfig | undefined = options.config && Object.freeze({ ...options.config });
  return {
    configure: (replaced) => (config = Object.freeze({ ...replaced })),
    getConfig: () => config ?? NO_CONFIG,
    createRequestContext(input = NOTHING) {
      const parent = input.parentContext === undefined ? undefined : readParent(input.parentContext);
      const startedAt = typeof input.startedAt === "number" ? input.startedAt : now();
      const context = new OwnContext(ids.nextRequest(), toTimestamp(startedAt));
      if (parent?.requestId !== undefined) context["parentRequestId"] = parent.requestId;
      if (config !== undefined) copyMembers(config, context, SET_HERE);
      if (parent?.inherited !== undefined) copyMembers(parent.inherited, context, OF_ONE_OPERATION);
      copyMembers(input, context, SET_HERE);
      const traceparent = nextTraceparent(input["traceparent"], parent?.trace, ids);
      if (traceparent !== undefined) {
        context["traceparent"] = traceparent;
        const tracestate = readTracestate(input["tracestate"]) ?? parent?.tracestate;
        if (tracestate !== undefined) context["tracestate"] = tracestate;
      }
      return Object.freeze(context);
    },
    // Fast path for `createRequestContext`. It runs for every request, so members are assigned one by one.
    ofOperation({ operation: { kind, name, call }, startedAt, traceparent }) {
      const context = new OwnContext(ids.nextRequest(), toTimestamp(startedAt));
      if (config !== undefined) copyMembers(config, context, SET_HERE);
      context["operation"] = METHOD_OF[kind];
      if (kind === "tool") context["toolName"] = name;
      else if (kind === "resource") context["resourceName"] = name;
      else context["promptName"] = name;
      const { auth } = call;
      if (auth !== undefined) context["principal"] = auth.principal.slice(0, MAX_ID);
      const trace = readTrace(call);
      if (traceparent !== undefined || trace !== undefined) {
        context["traceparent"] = nextTraceparent(traceparent, trace?.parent, ids);
        if (trace?.tracestate !== undefined) context["tracestate"] = trace.tracestate;
      }
      return Object.freeze(context);
    },
    run: (context, run) => runInScope({ call: currentScope()?.call, context }, run),
    current: () => currentScope()?.context,
  };
}

/** The application's shared request context service. */
export const requestContextService: RequestContextService = /* @__PURE__ */ createRequestContextService();

/** Context created by this module. `instanceof` distinguishes it from foreign objects with the same members. */
class OwnContext {
  [key: string]: unknown;
  readonly requestId: string;
  readonly timestamp: string;

  constructor(requestId: string, timestamp: string) {
    this.requestId = requestId;
    this.timestamp = timestamp;
  }
}

function copyMembers(from: ContextConfig, to: OwnContext, except: ReadonlySet<string>): void {
  for (const name of Object.keys(from)) {
    if (!except.has(name)) to[name] = from[name];
  }
}

/** Values that a child context inherits. */
interface Parent {
  readonly requestId?: string | undefined;
  readonly trace?: TraceParent | undefined;
  readonly tracestate?: string | undefined;
  readonly inherited?: ContextConfig;
}

/** Reads any kind of parent. Members of foreign objects are not copied, because they may contain tokens. */
function readParent(from: unknown): Parent | undefined {
  if (from instanceof Call) {
    const scope = currentScope();
    if (scope?.call === from && scope.context !== undefined) return readParent(scope.context);
    return readRequest(from);
  }
  if (!isJsonObject(from)) return undefined;
  const { requestId, traceparent, tracestate, _meta } = from;
  // The official SDK passes the request's ID to its callbacks. That request already has a context.
  const scope = from instanceof OwnContext ? undefined : currentScope();
  if (scope?.call !== undefined && scope.call.id === requestId && scope.context !== undefined) {
    return readParent(scope.context);
  }
  const known = {
    requestId: isRequestId(requestId) ? String(requestId).slice(0, MAX_ID) : undefined,
    trace: readTraceparent(traceparent),
    tracestate: readTracestate(tracestate),
  };
  if (from instanceof OwnContext) return { ...known, inherited: from };
  return known.trace === undefined && isJsonObject(_meta)
    ? { ...known, ...readRequest({ meta: _meta }) }
    : known;
}

function readRequest(source: TraceSource): Parent {
  const trace = readTrace(source);
  return { trace: trace?.parent, tracestate: trace?.tracestate };
}

/** Returns the given `traceparent` if it is valid, or creates one with a new span ID in the parent's trace. */
function nextTraceparent(given: unknown, parent: TraceParent | undefined, ids: Ids): string | undefined {
  const own = given === undefined ? undefined : readTraceparent(given);
  if (own !== undefined) return formatTraceparent(own);
  if (parent === undefined) return undefined;
  return formatTraceparent({ ...parent, spanId: ids.nextSpan() });
}

const MAX_ID = 128;
const NOTHING: ContextInput = {};
const NO_CONFIG: ContextConfig = /* @__PURE__ */ Object.freeze({});

/** Members that the service sets itself. They are never copied from input. */
const SET_HERE: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "requestId",
  "timestamp",
  "parentRequestId",
  "parentContext",
  "startedAt",
  "traceparent",
  "tracestate",
  "__proto__",
]);
const OF_ONE_OPERATION: ReadonlySet<string> = /* @__PURE__ */ new Set([...SET_HERE, "operation", "input"]);
