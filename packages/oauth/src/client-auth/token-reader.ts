/**
 * @fileoverview Reads the token for a request, and refreshes it before it expires.
 * @module oauth/client-auth/token-reader
 */
import { createSharedTasks } from "./abort.js";
import type { EndpointStates } from "./endpoint-state.js";
import { ClientAuthError, toAuthError } from "./errors.js";
import type { Exclusive } from "./exclusive.js";
import type { Records, TokenRecord } from "./records.js";
import { isFresh, isValid, type RefreshOutcome, refreshRecord } from "./refresh.js";
import type { ClientAuthSettings } from "./settings.js";

/** Dependencies of `createTokenReader`. */
export interface TokenReaderParts {
  readonly settings: ClientAuthSettings;
  readonly records: Records;
  readonly stateOf: EndpointStates;
  readonly exclusively: Exclusive;
}

/** Returns the access token for an endpoint. Synchronous while the token in memory can be used. */
export type ReadAccessToken = (url: string) => string | undefined | Promise<string | undefined>;

/** Time in milliseconds after a failed refresh in which a valid token is used without another attempt. */
const RETRY_MS = 10_000;

/** Creates the reader. */
export function createTokenReader(parts: TokenReaderParts): ReadAccessToken {
  const { settings, records, stateOf } = parts;
  const { ports } = settings;
  const share = createSharedTasks();

  const readStored = async (url: string): Promise<string | undefined> => {
    const record = await records.readToken(url);
    const state = stateOf(url);
    state.token = record;
    state.isRead = true;
    if (record === undefined) return undefined;
    const isPaused = ports.now() < state.retryAt && isValid(record, ports.now());
    if (isPaused || isFresh(record, ports.now())) return record.accessToken;
    return share(url, (signal) => refresh(record, signal, parts));
  };

  return (url) => {
    const { token, isRead } = stateOf(url);
    if (token === undefined) return isRead ? undefined : readStored(url);
    return isFresh(token, ports.now()) ? token.accessToken : readStored(url);
  };
}

/** Refreshes an expired token, unless a different process has done so. */
function refresh(seen: TokenRecord, signal: AbortSignal, parts: TokenReaderParts): Promise<string> {
  const { settings, records, stateOf, exclusively } = parts;
  const { now } = settings.ports;
  return exclusively(seen.url, signal, async () => {
    const state = stateOf(seen.url);
    const current = (await records.readToken(seen.url)) ?? seen;
    const outcome: RefreshOutcome = isFresh(current, now())
      ? { kind: "refreshed", record: current }
      : await refreshRecord(current, { settings, records, state, signal }).catch(toFailure);
    if (outcome.kind === "refreshed") {
      state.token = outcome.record;
      return outcome.record.accessToken;
    }
    state.retryAt = now() + RETRY_MS;
    // The server rejects an expired token, and its challenge starts a sign-in.
    if (outcome.kind === "revoked" || isValid(current, now())) return current.accessToken;
    throw outcome.error ?? toAuthError(outcome.reason, current.issuer);
  });
}

/** Converts an error of a refresh to an outcome. @throws the error if the tokens could not be stored */
function toFailure(error: unknown): RefreshOutcome {
  if (!(error instanceof ClientAuthError) || error.code === "store_failed") throw error;
  return { kind: "failed", reason: error.code, error };
}
