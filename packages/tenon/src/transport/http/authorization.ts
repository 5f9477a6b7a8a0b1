/**
 * @fileoverview Interface between an HTTP endpoint and its authorization.
 * @module transport/http/authorization
 */
import type { Auth } from "../../core/wire/exchange.js";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { HeaderReader } from "../../protocol/index.js";
import type { HttpHeaders } from "./http-context.js";

/** Request data that is available before the body is read. */
export interface RequestInfo {
  readonly method: string;
  readonly url: string;
  readonly header: HeaderReader;
}

/** Authentication outcome: the caller, or a refusal. */
export type Authenticated<Context> =
  | { readonly auth?: Auth; readonly context?: Context }
  | { readonly status: number; readonly headers?: HttpHeaders; readonly message: string };

/** Authorization for a protected resource, such as one created by `createAuthorization` from `@tenon/auth`. */
export interface Authorization<Context = unknown> {
  /** Identifies the caller before the body is read. */
  authenticate(request: RequestInfo): MaybePromise<Authenticated<Context>>;
  /** Returns the headers for a 403 response that lists the scopes the principal needs. */
  challenge(requiredScopes: readonly string[], auth: Auth | undefined): HttpHeaders;
  /** Public metadata of the protected resource (RFC 9728), and the paths that serve it. */
  readonly metadata?: { readonly paths: ReadonlySet<string>; readonly json: string } | undefined;
}
