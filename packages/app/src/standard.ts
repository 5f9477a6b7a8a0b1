/**
 * @fileoverview The application standard as one middleware: request context, rate limit, span, and log entry.
 * @module app/standard
 */
import { performance } from "node:perf_hooks";
import { ArgumentsError, type Call, toPublicError } from "tenon/host";
import type { Middleware, Operation, OperationResult } from "tenon";
import { isInstance } from "@tenon/internal/thrown";
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import { type Ports, withPorts } from "@tenon/internal/ports";
import { ERRORS } from "tenon/protocol";
import { type RequestContextService, requestContextService } from "./context/request-context-service.js";
import type { RequestContext } from "./context/request-context.js";
import { runInScope, type Scope } from "./context/scope.js";
import { markReported } from "./logging/reported.js";
import { type ContextLogger, logger as applicationLogger } from "./logging/logger.js";
import { type Outcome, outcomeOfError, outcomeOfResult } from "./telemetry/outcome.js";
import { METHOD_OF } from "./context/operation-methods.js";
import type { OperationSpan, Telemetry } from "./telemetry/telemetry.js";

/** Rate limiter for operations. `limiterGuard` creates one. */
export interface OperationLimiter {
  /** Counts an operation before it runs. @throws {McpError} `RATE_LIMITED` if the limit is exceeded */
  check(operation: Operation): MaybePromise<unknown>;
}

/** Options for `standard`. */
export interface StandardOptions {
  /** Receives one entry per failure. @default the application's shared logger */
  readonly logger?: ContextLogger;
  /** Creates the request contexts. @default the application's shared service */
  readonly contextService?: RequestContextService;
  /** Return value of `loadTelemetry()`. @default no spans or metrics */
  readonly telemetry?: Telemetry | undefined;
  /** Checked before each operation. @default no limit */
  readonly limiter?: OperationLimiter;
  /** Monotonic clock in milliseconds, for durations. @default `performance.now` */
  readonly now?: () => number;
  /** Clock, for tests. */
  readonly ports?: Partial<Ports>;
}

/**
 * Creates the middleware for `.use(...)`. Handlers behind it can call `requestContextService.current()`,
 * `currentCall()` and `withRequiredScopes()`, and their log entries carry the request context. Every
 * failure is logged once. At level `debug`, every success is logged too. Synchronous handlers stay synchronous.
 *
 * @example defineServer({ name: "shop", version: "1.0.0" }).use(standard({ limiter }))
 */
export function standard(options: StandardOptions = {}): Middleware {
  const {
    logger = applicationLogger,
    contextService = requestContextService,
    telemetry,
    limiter,
    now = () => performance.now(),
  } = options;
  const clock = withPorts(options.ports).now;
  const settings: ScopeSettings = {
    now,
    telemetry,
    createContext: ({ operation, started, span }) =>
      contextService.ofOperation({
        operation,
        startedAt: clock() - (now() - started),
        traceparent: span?.traceparent,
      }),
  };
  const report = createReport(logger, now);

  const conclude = (scope: OperationScope, outcome: Outcome) => {
    try {
      scope.span?.end(outcome);
      report(scope, outcome);
      if ("error" in outcome) markReported(outcome.error);
    } catch {
      // An error in telemetry or logging must not change the operation's outcome.
    }
  };

  return function standard(operation, next) {
    const scope = new OperationScope(operation, settings);
    const { span } = scope;
    let result: MaybePromise<OperationResult>;
    try {
      const checked = limiter?.check(operation);
      const body = isPromise(checked) ? () => checked.then(next) : next;
      result = span === undefined ? runInScope(scope, body) : span.run(() => runInScope(scope, body));
    } catch (error) {
      conclude(scope, outcomeOfError(operation, error));
      throw error;
    }
    // Successes are recorded only for spans and debug entries.
    const isWatched = span !== undefined || logger.isLevelEnabled("debug");
    if (!isPromise(result)) {
      if (isWatched) conclude(scope, outcomeOfResult(operation, result));
      return result;
    }
    // Returning the original promise avoids an additional microtask for the caller.
    void result.then(
      isWatched ? (value) => conclude(scope, outcomeOfResult(operation, value)) : undefined,
      (error: unknown) => conclude(scope, outcomeOfError(operation, error)),
    );
    return result;
  };
}

/** Settings shared by all operations of one middleware. */
interface ScopeSettings {
  readonly now: () => number;
  readonly telemetry: Telemetry | undefined;
  readonly createContext: (scope: OperationScope) => RequestContext;
}

/**
 * Scope of one operation. Its context is created on first access, because many calls never need it. The class uses
 * plain fields, because `#` fields made a call over HTTP about 3 µs slower.
 */
class OperationScope implements Scope {
  readonly operation: Operation;
  readonly started: number;
  readonly span: OperationSpan | undefined;
  private readonly settings: ScopeSettings;
  private made: RequestContext | undefined;

  constructor(operation: Operation, settings: ScopeSettings) {
    this.operation = operation;
    this.started = settings.now();
    this.span = settings.telemetry?.start(operation);
    this.settings = settings;
    this.made = undefined;
  }

  get call(): Call {
    return this.operation.call;
  }

  get context(): RequestContext {
    return (this.made ??= this.settings.createContext(this));
  }
}

/**
 * Creates the function that logs outcomes. It is called outside the scope, so that its entries are not sent to the
 * client.
 */
function createReport(logger: ContextLogger, now: () => number) {
  return (scope: OperationScope, outcome: Outcome): void => {
    const level = levelOf(scope, outcome);
    if (!logger.isLevelEnabled(level)) return;
    const { kind, name } = scope.operation;
    const durationMs = Math.round((now() - scope.started) * 1000) / 1000;
    const text = `${METHOD_OF[kind]} ${name} ${outcome.isSuccess ? "succeeded" : "failed"}.`;
    logger.log(level, text, scope.context, { durationMs, ...outcome });
  };
}

function levelOf({ operation }: OperationScope, outcome: Outcome): "debug" | "notice" | "error" {
  // A handler that returns an error result has already logged it. Failures after cancellation are irrelevant.
  if (outcome.isSuccess || !("error" in outcome) || operation.call.signal.aborted) return "debug";
  // The server reports rejected arguments to its `log`.
  if (isInstance(outcome.error, ArgumentsError)) return "debug";
  const isExpected = toPublicError(outcome.error) !== undefined;
  return isExpected && ERRORS[outcome.errorCode].http < SERVER_FAULT ? "notice" : "error";
}

const SERVER_FAULT = 500;
