/**
 * @fileoverview Decides who may use what: definitions by their scopes, and everything that a call or a session leaves
 * behind (tasks, sessions, streams, state) by server, principal, and scopes.
 * @module tenon/core/wire/access
 */
import type { Auth, Exchange } from "./exchange.js";

/** Returns true if the caller holds all of the entry's scopes, or if the transport does not authenticate callers. */
export function isAllowed(
  entry: { readonly scopes: readonly string[] },
  auth: Pick<Auth, "scopes"> | undefined,
): boolean {
  if (auth === undefined) return true;
  for (const scope of entry.scopes) {
    if (!auth.scopes.includes(scope)) return false;
  }
  return true;
}

/** Checks the scopes of an entry for a request, and tells the transport about them: see `Exchange.noteScopes`. */
export function admits(
  entry: { readonly scopes: readonly string[] },
  exchange: Pick<Exchange, "auth" | "noteScopes"> | undefined,
): boolean {
  if (entry.scopes.length === 0) return true;
  if (!isAllowed(entry, exchange?.auth)) return false;
  exchange?.noteScopes?.(entry.scopes);
  return true;
}

/** Owner of something that outlives a request, and the scopes of the definition that it comes from. */
export interface Belongings {
  /**
   * Name of the server. Nodes with different versions of one server have the same name. Earlier versions of Tenon did
   * not store it: such a record belongs to the server that finds it, which stores its own name with the next change.
   */
  readonly server?: string | undefined;
  /** Caller that created it. `null` or `undefined` if callers are not authenticated. */
  readonly principal: string | null | undefined;
  /** Scopes that the call required. */
  readonly scopes?: readonly string[] | undefined;
}

/** Caller that wants to use something, and the server that it has called. */
export interface Reader {
  readonly server: string;
  readonly auth: Pick<Auth, "principal" | "scopes"> | undefined;
}

/** Creates a reader for records without scopes of their own. */
export function readerOf(server: string, principal: string | undefined): Reader {
  return { server, auth: principal === undefined ? undefined : { principal, scopes: [] } };
}

/**
 * Returns true if a later request may use a task, a session, or the state of a call. To all others, it must look as if
 * it did not exist. A stream belongs to a session that was checked, so only its scopes are checked. The result of an
 * idempotency key is found by a digest of the server, the principal, and the tool (`toRecordKey`), and only by calls
 * that have passed the check of the tool's scopes.
 */
export function isVisibleTo({ server, principal, scopes = [] }: Belongings, reader: Reader): boolean {
  return (
    (server === undefined || server === reader.server) &&
    (principal ?? null) === (reader.auth?.principal ?? null) &&
    isAllowed({ scopes }, reader.auth)
  );
}
