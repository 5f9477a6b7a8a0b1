/**
 * @fileoverview State of the MCP endpoints in memory: the current token, the authorization server, and the times of
 * recent sign-ins.
 * @module oauth/client-auth/endpoint-state
 */
import type { ServerMetadata } from "./discovery/server-metadata.js";
import type { TokenRecord } from "./records.js";

/** State of one endpoint. */
export interface EndpointState {
  /** Token that was used last. A different process may have stored a newer one. */
  token?: TokenRecord | undefined;
  /** True if the store has been read. Without a token, it is not read again until the server rejects a request. */
  isRead: boolean;
  /** Authorization server that was discovered last. */
  server?: ServerMetadata | undefined;
  /** Time of the next refresh after a failed one, in milliseconds since the epoch. */
  retryAt: number;
  /** Times of recent sign-ins, in milliseconds since the epoch. */
  signIns: readonly number[];
}

/** Returns the state of an endpoint. */
export type EndpointStates = (url: string) => EndpointState;

/** Maximum number of endpoints. The state of the one that was added first is dropped. */
const MAX_ENDPOINTS = 200;

/** Creates an empty set of states. */
export function createEndpointStates(): EndpointStates {
  const states = new Map<string, EndpointState>();
  return (url) => {
    const known = states.get(url);
    if (known !== undefined) return known;
    const [oldest] = states.keys();
    if (states.size >= MAX_ENDPOINTS && oldest !== undefined) states.delete(oldest);
    const state: EndpointState = { isRead: false, retryAt: 0, signIns: [] };
    states.set(url, state);
    return state;
  };
}

/** Returns the URL that identifies an endpoint. */
export function endpointId(url: URL): string {
  if (url.hash === "") return url.href;
  const endpoint = new URL(url);
  endpoint.hash = "";
  return endpoint.href;
}
