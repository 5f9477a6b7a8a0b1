/**
 * @fileoverview `tenon/fetch`: HTTP handler for runtimes with web-standard APIs.
 * @module tenon/transport/fetch
 */
export type {
  Authenticated,
  AuthenticatedContext,
  Authorization,
  ContextAuthorization,
  ContextSource,
  RequestInfo,
} from "../http/authorization.js";
export type { HttpHeaders } from "../http/http-context.js";
export type { CredentialLifetime } from "../http/limits/credential-lifetime.js";
export type { HttpOptions } from "../http/options.js";
export { type FetchHandler, toFetch } from "./fetch-handler.js";
