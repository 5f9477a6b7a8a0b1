/**
 * @fileoverview `@tenon/app`, the application standard: errors, request contexts, logging, telemetry, rate limits,
 * sanitization, and configuration. Each can be used on its own.
 * @module app
 */
export { BaseErrorCode, type ErrorName, McpError } from "tenon/protocol";
export type { AppConfig, AppSettings, Env } from "./config/app-config.js";
export { config, lazyConfig } from "./config/config.js";
export { appConfigHelp, describeConfig, type VariableDescription } from "./config/describe-config.js";
export type { ExtraSettings, ExtraShape } from "./config/extra.js";
export { type AppConfigOptions, loadAppConfig, redactedConfig } from "./config/load-app-config.js";
export { type ServeAppOptions, serveOnFreePort, toServeOptions } from "./config/serve-options.js";
export { toAuthorization } from "./config/to-authorization.js";
export { type ContextInput, type RequestContext, traceHeaders } from "./context/request-context.js";
export {
  type ContextConfig,
  createRequestContextService,
  type RequestContextService,
  requestContextService,
} from "./context/request-context-service.js";
export { withRequiredScopes } from "./context/required-scopes.js";
export { currentAuth, currentCall } from "./context/scope.js";
export { readTrace, type TraceContext, type TraceSource } from "./context/trace-context.js";
export {
  createErrorHandler,
  ErrorHandler,
  type ErrorMapping,
  type FormattedError,
  type HandleErrorOptions,
} from "./errors/error-handler.js";
export { registerAll, type Registration, type RegistrationReport } from "./errors/register-all.js";
export { limiterGuard, type OperationGuard, rateLimit, type RateLimitOptions } from "./limits/call-guard.js";
export type { ForwardedHeader } from "./limits/client-address.js";
export {
  type FetchRateLimit,
  fetchRateLimit,
  httpRateLimit,
  type HttpRateLimitOptions,
  type NodeRateLimit,
} from "./limits/http-rate-limit.js";
export {
  createRateLimitStore,
  type FlexibleLimiter,
  type FlexibleResult,
  type RateLimitStore,
} from "./limits/rate-limit-store.js";
export type { RateLimitOutcome, RateLimitRule } from "tenon/stores";
export {
  createRateLimiter,
  type LocalRateLimiter,
  type RateLimitConfig,
  rateLimiter,
  type RateLimiter,
  type RateLimiterOptions,
  type RateLimitStatus,
  type ResolvedRateLimitConfig,
} from "./limits/rate-limiter.js";
export { clientSink, type ClientSinkOptions } from "./logging/client-sink.js";
export { type CoreLogOptions, toCoreLog } from "./logging/core-log.js";
export type { LoggerLevel } from "./logging/levels.js";
export type { LogRecord, LogRecordSink } from "./logging/log-writer.js";
export {
  type AppLogger,
  type ContextLogger,
  createLogger,
  logger,
  type LoggerOptions,
  type LogMethod,
} from "./logging/logger.js";
export type { LineTarget, WriterOptions } from "./logging/pino-writer.js";
export { createRedactor, type Redactor, type RedactorOptions } from "./logging/redact.js";
export {
  type ApplicationLogger,
  type ApplicationOptions,
  type ApplicationProcess,
  type ProcessEvent,
  runApplication,
  type StartedApplication,
} from "./run-application.js";
export type { HtmlCleaner, SanitizeHtmlOptions } from "./sanitization/html.js";
export type { SanitizedPath, SanitizePathOptions } from "./sanitization/path.js";
export {
  createSanitization,
  type Sanitization,
  sanitization,
  type SanitizationOptions,
} from "./sanitization/sanitization.js";
export type { SanitizeStringOptions, StringContext } from "./sanitization/text.js";
export type { SanitizeUrlOptions } from "./sanitization/url.js";
export type { SanitizeJsonOptions, SanitizeNumberOptions } from "./sanitization/values.js";
export { type OperationLimiter, standard, type StandardOptions } from "./standard.js";
export type { Outcome } from "./telemetry/outcome.js";
export { loadTelemetry, type OperationSpan, type Telemetry } from "./telemetry/telemetry.js";
export {
  defineToolHandler,
  type HandledFailure,
  type HandledResult,
  type StandardToolHandler,
  type ToolHandlerOptions,
} from "./tools/define-tool-handler.js";
