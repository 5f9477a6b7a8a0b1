/**
 * @fileoverview `fetch` for URLs that a remote server can influence. It checks where a request goes, and limits its
 * time and the size of its response. Redirects are not followed.
 * @module internal/outgoing/guarded-fetch
 */
import { ByteCollector } from "../byte-collector.js";
import type { Bytes } from "../bytes.js";
import type { Ports } from "../ports.js";
import {
  checkAddresses,
  checkUrl,
  createDestinationRule,
  type DestinationCheck,
  type DestinationRule,
  isAddressHost,
  type PrivateNetworks,
} from "../security/destination.js";
import { codeOf } from "../thrown.js";
import type { Fetch } from "./fetch.js";
import { findNodeNetwork, type HostAddress, type NodeNetwork, type RawResponse } from "./node-network.js";

/** Options for `createGuardedFetch`. */
export interface GuardOptions {
  /** URL that the developer configured. Requests to its host, and to URLs that it leads to, follow from it. */
  readonly configured: string;
  /** Hosts outside the public network that requests may go to. @default false */
  readonly allowPrivateNetworks?: PrivateNetworks | undefined;
  /** Sends the requests. Only addresses in URLs are then checked, because the function resolves names itself. */
  readonly fetch?: Fetch | undefined;
  /** Time limit for the whole response, in milliseconds. */
  readonly timeoutMs: number;
  /** Maximum size of the response body in bytes. */
  readonly maxBytes: number;
  readonly ports: Pick<Ports, "startTimer">;
  /** Finds the network of Node.js. @default `findNodeNetwork` */
  readonly findNetwork?: () => NodeNetwork | undefined;
}

/** Code of the error for a forbidden destination. */
export const BLOCKED_DESTINATION = "BLOCKED_DESTINATION";

/**
 * Creates the guarded `fetch`. On Node.js, it resolves a host name once, checks all addresses, and connects only to
 * them. In other runtimes, it checks only addresses and local names in URLs. Its responses are complete: reading the
 * body does not fail. Error messages contain no text from URLs or responses. `init.signal` is ignored.
 */
export function createGuardedFetch(options: GuardOptions): Fetch {
  const { timeoutMs, maxBytes, ports } = options;
  const rule = createDestinationRule(options.configured, options.allowPrivateNetworks);
  return async (url, init) => {
    assertAllowed(checkUrl(url, rule));
    const controller = new AbortController();
    const stopTimer = ports.startTimer(() => controller.abort(), timeoutMs);
    const { signal } = controller;
    try {
      const response = receive({ url, init, signal, rule, options });
      return await unlessAborted(
        signal,
        timeoutMs,
        response.then((raw) => readWhole(raw, maxBytes)),
      );
    } finally {
      stopTimer();
      controller.abort(); // closes the connection of a rejected response
    }
  };
}

interface Outgoing {
  readonly url: string;
  readonly init: RequestInit;
  readonly signal: AbortSignal;
  readonly rule: DestinationRule;
  readonly options: GuardOptions;
}

async function receive({ url, init, signal, rule, options }: Outgoing): Promise<RawResponse> {
  const network = options.fetch === undefined ? (options.findNetwork ?? findNodeNetwork)() : undefined;
  if (network === undefined) {
    const send = options.fetch ?? ((target, request) => globalThis.fetch(target, request));
    const { status, headers, body } = await reach(send(url, { ...init, redirect: "manual", signal }));
    return { status, headers, body };
  }
  const { hostname } = new URL(url);
  let addresses: readonly HostAddress[] = [];
  if (!isAddressHost(hostname)) {
    addresses = await reach(network.resolve(hostname));
    const found = addresses.map(({ address }) => address);
    assertAllowed(checkAddresses(url, found, rule));
  }
  return reach(network.send({ url, init, addresses, signal }));
}

function assertAllowed(check: DestinationCheck): void {
  if (check.ok) return;
  const error = new Error(`The request was not sent, because ${check.problem}.`);
  throw Object.assign(error, { code: BLOCKED_DESTINATION });
}

/** Replaces the message of a network error, which can contain names that a remote server chose, by its code. */
async function reach<T>(attempt: Promise<T>): Promise<T> {
  try {
    return await attempt;
  } catch (cause) {
    const code = systemCodeOf(cause) ?? systemCodeOf(cause instanceof Error ? cause.cause : undefined);
    throw new Error(`The server could not be reached${code === undefined ? "" : ` (${code})`}.`, { cause });
  }
}

function systemCodeOf(error: unknown): string | undefined {
  const code = codeOf(error);
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : undefined;
}

async function readWhole({ status, headers, body }: RawResponse, maxBytes: number): Promise<Response> {
  // Browsers hide the status of a redirect and report 0.
  if (status < 200 || status > 599)
    throw new Error(`Expected an HTTP status from 200 to 599; got ${status}.`);
  const bytes = await reach(collect(body, maxBytes));
  if (bytes === undefined) throw new Error(`The response body is too large (limit: ${maxBytes} bytes).`);
  return new Response(bytes.length === 0 ? null : bytes, { status, headers });
}

/** Reads a body. Returns `undefined` if it is too large. */
async function collect(body: RawResponse["body"], maxBytes: number): Promise<Bytes | undefined> {
  const collected = new ByteCollector(maxBytes);
  for await (const chunk of body ?? []) if (!collected.append(chunk)) return undefined;
  return collected.take();
}

/** Rejects when the signal aborts, even if the request ignores the signal. */
async function unlessAborted<T>(signal: AbortSignal, timeoutMs: number, result: Promise<T>): Promise<T> {
  return Promise.race([
    result,
    new Promise<never>((_resolve, reject) => {
      const late = () => reject(new Error(`The server did not respond within ${timeoutMs} ms.`));
      signal.addEventListener("abort", late, { once: true });
    }),
  ]);
}
