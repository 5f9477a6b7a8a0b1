/**
 * @fileoverview Utilities that all parts of the application share: error handling, request contexts, logging,
 * sanitization, scopes, and rate limits. Import them from this file.
 * @module src/utils
 */
export {
  currentCall,
  defineToolHandler,
  ErrorHandler,
  logger,
  rateLimiter,
  registerAll,
  type RequestContext,
  requestContextService,
  sanitization,
  traceHeaders,
  withRequiredScopes,
} from "@tenon/app";
