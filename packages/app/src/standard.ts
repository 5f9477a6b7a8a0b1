/**
 * @fileoverview The application standard as one layer around every operation: context, limit, span and log.
 * @module app/standard
 */
import { performance } from "node:perf_hooks";
import type { Call } from "tenon/host";
import type { Middleware, Operation, OperationResult } from "tenon";
import { isInstance } from "@tenon/internal/thrown";
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import { type Ports, withPorts } from "@tenon/internal/ports";
import { errorRow, McpError } from "tenon/protocol";
import { type RequestContextService, requestContextService } from "./context/request-context-service.js";
import type { RequestContext } from "./context/request-context.js";
import { runInScope, type Scope } from "./context/scope.js";
import { type ContextLogger, logger as applicationLogger } from "./logging/logger.js";
import { type Outcome, outcomeOfError, outcomeOfResult } from "./telemetry/outcome.js";
import { METHOD_OF } from "./context/operation-methods.js";
import type { OperationSpan, Telemetry } from "./telemetry/telemetry.js";

/** Decides whether an operation may run now. */
export interface OperationLimiter {
  /** @throws McpError `RATE_LIMITED` where it may not */
  check(operation: Operation): MaybePromise<unknown>;
}

/** Options of `standard`. */
export interface StandardOptions {
  /** @default the application's own */
  readonly logger?: ContextLogger;
  /** @default the application's own */
  readonly contextService?: RequestContextService;
  /** From `loadTelemetry()`. */
  readonly telemetry?: Telemetry | undefined;
  readonly limiter?: OperationLimiter;
  /** Milliseconds that never run backwards, for durations. */
  readonly now?: () => number;
  readonly ports?: Partial<Ports>;
}

/**
 * The layer for `.use(...)`. Within it, `requestContextService.current()`, `currentCall()`, `currentAuth()`,
 * `withRequiredScopes()` and the logger know the request; every failure is in the log once, and at `debug` every
 * success too. What answers at once is answered at once.
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
    } catch {
      // What watches an operation must not change how it ends.
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
    // Of what gave a result only spans and debug lines tell: most calls end here.
    const isWatched = span !== undefined || logger.isLevelEnabled("debug");
    if (!isPromise(result)) {
      if (isWatched) conclude(scope, outcomeOfResult(operation, result));
      return result;
    }
    // The promise itself is handed on: to look at it costs the caller no turn.
    void result.then(
      isWatched ? (value) => conclude(scope, outcomeOfResult(operation, value)) : undefined,
      (error: unknown) => conclude(scope, outcomeOfError(operation, error)),
    );
    return result;
  };
}

/** Values that the scopes of one layer share. */
interface ScopeSettings {
  readonly now: () => number;
  readonly telemetry: Telemetry | undefined;
  readonly createContext: (scope: OperationScope) => RequestContext;
}

/**
 * One operation under way. Its context is made when it is first asked for: many calls never do. There is one for every
 * call, so its fields are plain ones: as `#` fields they made a call over HTTP about 3 µs dearer.
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

/** Creates the function that logs outcomes. It runs outside the scope, so that no entry reaches the calling client. */
function createReport(logger: ContextLogger, now: () => number) {
  return (scope: OperationScope, outcome: Outcome): void => {
    const level = levelOf(scope, outcome);
    if (!logger.isLevelEnabled(level)) return;
    const { kind, name } = scope.operation;
    const durationMs = Math.round((now() - scope.started) * 1000) / 1000;
    const text = `${METHOD_OF[kind]} ${name} ${outcome.isSuccess ? "succeeded" : "failed"}`;
    logger.log(level, text, scope.context, { durationMs, ...outcome });
  };
}

function levelOf({ operation }: OperationScope, outcome: Outcome): "debug" | "notice" | "error" {
  // A failure that the handler answered itself is in the log already, and one of a cancelled call concerns nobody.
  if (outcome.isSuccess || !("error" in outcome) || operation.call.signal.aborted) return "debug";
  return isInstance(outcome.error, McpError) && errorRow(outcome.errorCode).http < SERVER_FAULT
    ? "notice"
    : "error";
}

const SERVER_FAULT = 500;
