/**
 * @fileoverview Requests through `node:http` and `node:https`, which can connect to a given address and still verify
 * the host name's certificate. `fetch` would resolve the host name a second time.
 * @module internal/outgoing/node-network
 */
import type * as Dns from "node:dns";
import type { IncomingMessage } from "node:http";
import type * as Https from "node:https";
import type { LookupFunction } from "node:net";

/** Address of a host. */
export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** Functions of Node.js that send requests to chosen addresses. */
export interface NodeNetwork {
  /** Resolves a host name to all of its addresses. */
  readonly resolve: (hostname: string) => Promise<readonly HostAddress[]>;
  /** Sends a request. Connects only to the given addresses if the host is a name. Does not follow redirects. */
  readonly send: (request: PinnedRequest) => Promise<RawResponse>;
}

/** Request to a host whose addresses have been checked. */
export interface PinnedRequest {
  readonly url: string;
  readonly init: RequestInit;
  readonly addresses: readonly HostAddress[];
  readonly signal: AbortSignal;
}

/** Response whose body has not been read. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array> | null;
}

/**
 * Returns the network of Node.js. Returns `undefined` in other runtimes, also if they imitate `node:http`, because
 * they may ignore the chosen addresses. The modules are loaded without an import, which other runtimes may not be able
 * to resolve.
 */
export function findNodeNetwork(): NodeNetwork | undefined {
  // Safe: every member is optional, because other runtimes may lack it.
  const { process, WebSocketPair: worker } = globalThis as RuntimeGlobals;
  const { node, bun, deno } = process?.versions ?? {};
  if (node === undefined || bun !== undefined || deno !== undefined || worker !== undefined) return undefined;
  const load = (name: string) => process?.getBuiltinModule?.(name);
  const dns = load("node:dns") as typeof Dns | undefined; // Safe: the module of this name
  if (dns === undefined) return undefined;
  return {
    resolve: (hostname) => resolveAll(dns, hostname),
    send(request) {
      const isTls = request.url.startsWith("https:");
      // Safe: `node:http` has the same function, which ignores the options for TLS
      const { request: open } = load(isTls ? "node:https" : "node:http") as typeof Https;
      return sendPinned(open, request);
    },
  };
}

interface RuntimeGlobals {
  readonly process?: {
    readonly versions?: Readonly<Record<string, string | undefined>>;
    getBuiltinModule?(name: string): unknown;
  };
  /** Exists only in Workers. */
  readonly WebSocketPair?: unknown;
}

function resolveAll(dns: typeof Dns, hostname: string): Promise<readonly HostAddress[]> {
  return new Promise((resolve, reject) => {
    dns.lookup(hostname, { all: true }, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });
}

async function sendPinned(open: typeof Https.request, request: PinnedRequest): Promise<RawResponse> {
  const { url, init, addresses, signal } = request;
  const { method, headers, body } = await toParts(url, init);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = open(new URL(url), {
      method,
      headers,
      signal,
      lookup: createLookup(addresses),
      agent: false, // a shared agent could reuse a connection to an address that was not checked
    });
    sent.on("error", reject);
    sent.once("response", resolve);
    sent.end(body);
  });
  return { status: response.statusCode ?? 0, headers: toHeaders(response.rawHeaders), body: response };
}

/** Creates a lookup that returns the checked addresses and never asks a resolver. */
function createLookup(addresses: readonly HostAddress[]): LookupFunction {
  return (_hostname, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family);
  };
}

interface RequestParts {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** Reads a request as `fetch` does, including the content type that its body implies. */
async function toParts(url: string, init: RequestInit): Promise<RequestParts> {
  const { signal: _signal, ...rest } = init;
  const request = new Request(url, rest);
  const body = new Uint8Array(await request.arrayBuffer());
  return {
    method: request.method,
    headers: {
      "user-agent": "tenon", // some servers reject requests without one
      ...Object.fromEntries(request.headers),
      "accept-encoding": "identity",
      ...(body.length === 0 ? {} : { "content-length": String(body.length) }),
    },
    body: body.length === 0 ? undefined : body,
  };
}

function toHeaders(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < raw.length; at += 2) headers.append(raw[at] ?? "", raw[at + 1] ?? "");
  return headers;
}
