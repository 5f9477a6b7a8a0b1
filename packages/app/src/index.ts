/**
 * @fileoverview `@tenon/app`, the application standard: errors, request contexts, logging, telemetry, rate limits,
 * sanitization, and configuration. Each can be used on its own.
 * @module app
 */
export { BaseErrorCode, McpError } from "tenon/protocol";
export type { AppConfig } from "./config/app-config.js";
export { config, lazyConfig } from "./config/config.js";
export { appConfigHelp } from "./config/describe-config.js";
export { loadAppConfig } from "./config/load-app-config.js";
export { serveOnFreePort, toServeOptions } from "./config/serve-options.js";
export { toAuthorization } from "./config/to-authorization.js";
export { type RequestContext, traceHeaders } from "./context/request-context.js";
export {
  type ContextConfig,
  type RequestContextService,
  requestContextService,
} from "./context/request-context-service.js";
export { withRequiredScopes } from "./context/required-scopes.js";
export { currentCall } from "./context/scope.js";
export { createErrorHandler, ErrorHandler, type FormattedError } from "./errors/error-handler.js";
export { registerAll, type RegistrationReport } from "./errors/register-all.js";
export { limiterGuard, type OperationGuard, rateLimit } from "./limits/call-guard.js";
export {
  type FetchRateLimit,
  fetchRateLimit,
  httpRateLimit,
  type NodeRateLimit,
} from "./limits/http-rate-limit.js";
export { createRateLimitStore, type RateLimitStore } from "./limits/rate-limit-store.js";
export {
  createRateLimiter,
  type LocalRateLimiter,
  rateLimiter,
  type RateLimiter,
  type RateLimiterOptions,
  type RateLimitStatus,
} from "./limits/rate-limiter.js";
export { clientSink } from "./logging/client-sink.js";
export { toCoreLog } from "./logging/core-log.js";
export type { LogRecord, LogRecordSink } from "./logging/log-writer.js";
export {
  type AppLogger,
  type ContextLogger,
  createLogger,
  logger,
  type LoggerOptions,
} from "./logging/logger.js";
export { type ApplicationOptions, runApplication, type StartedApplication } from "./run-application.js";
export type { SanitizedPath } from "./sanitization/path.js";
export { createSanitization, type Sanitization, sanitization } from "./sanitization/sanitization.js";
export { standard, type StandardOptions } from "./standard.js";
export { loadTelemetry, type Telemetry } from "./telemetry/telemetry.js";
export {
  defineToolHandler,
  type StandardToolHandler,
  type ToolHandlerOptions,
} from "./tools/define-tool-handler.js";
