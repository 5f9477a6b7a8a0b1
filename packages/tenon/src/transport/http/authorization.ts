/**
 * @fileoverview Interface between an HTTP endpoint and its authorization.
 * @module tenon/transport/http/authorization
 */
import type { Auth } from "../../core/wire/exchange.js";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { HeaderReader } from "../../protocol/index.js";
import type { ContextOption } from "../options-for.js";
import type { HttpHeaders } from "./http-context.js";
import type { CredentialLifetime } from "./limits/credential-lifetime.js";

/** Request data that is available before the body is read. */
export interface RequestInfo {
  readonly method: string;
  readonly url: string;
  readonly header: HeaderReader;
}

/** Authentication outcome: the caller, or a rejection. */
export type Authenticated<Context> =
  | ({ readonly auth?: Auth; readonly context?: Context } & CredentialLifetime)
  | { readonly status: number; readonly headers?: HttpHeaders; readonly message: string };

/** Authentication outcome that includes the application's context. */
export type AuthenticatedContext<Context> =
  | ({ readonly auth?: Auth; readonly context: Context } & CredentialLifetime)
  | { readonly status: number; readonly headers?: HttpHeaders; readonly message: string };

/** Authorization for a protected resource, such as one created by `createAuthorization` from `@tenon/auth`. */
export interface Authorization<Context = unknown> {
  /** Identifies the caller before the body is read. */
  authenticate(request: RequestInfo): MaybePromise<Authenticated<Context>>;
  /** Returns the headers for a 403 response that lists the required scopes. */
  challenge(requiredScopes: readonly string[], auth: Auth | undefined): HttpHeaders;
  /** Public metadata of the protected resource (RFC 9728), and the paths that serve it. */
  readonly metadata?: { readonly paths: ReadonlySet<string>; readonly json: string } | undefined;
}

/** Authorization that provides the application's context for every accepted request. */
export interface ContextAuthorization<Context> extends Authorization<Context> {
  /** Identifies the caller, and returns the context for its request. */
  authenticate(request: RequestInfo): MaybePromise<AuthenticatedContext<Context>>;
}

/** HTTP options that provide the application context: the context itself, or authentication that returns it. */
export type ContextSource<Context> =
  | ContextOption<Context>
  | { readonly authenticate: ContextAuthorization<Context>["authenticate"] }
  | { readonly authorization: ContextAuthorization<Context> };
