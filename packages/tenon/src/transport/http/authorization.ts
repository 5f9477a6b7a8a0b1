/**
 * @fileoverview The contract between an endpoint and its authorization.
 * @module transport/http/authorization
 */
import type { Auth } from "../../core/wire/exchange.js";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { HeaderReader } from "../../protocol/index.js";
import type { HttpHeaders } from "./http-context.js";

/** The facts of a request that are known before its body is read. */
export interface RequestInfo {
  readonly method: string;
  readonly url: string;
  readonly header: HeaderReader;
}

/** The outcome of authentication: the caller, or a refusal. */
export type Authenticated<Context> =
  | { readonly auth?: Auth; readonly context?: Context }
  | { readonly status: number; readonly headers?: HttpHeaders; readonly message: string };

/** The authorization of a protected resource; `createAuthorization` of `@tenon/auth` makes one. */
export interface Authorization<Context = unknown> {
  /** Decides who is calling, before the body is read. */
  authenticate(request: RequestInfo): MaybePromise<Authenticated<Context>>;
  /** The headers of the 403 that tells a principal which scopes it needs. */
  challenge(requiredScopes: readonly string[], auth: Auth | undefined): HttpHeaders;
  /** The metadata of the protected resource (RFC 9728), and the paths that it is found at. Anyone may read it. */
  readonly metadata?: { readonly paths: ReadonlySet<string>; readonly json: string } | undefined;
}
