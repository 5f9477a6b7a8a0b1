/**
 * @fileoverview An issuer on this machine: serves keys and metadata over HTTP and records the requests.
 * @module tools/tokens/issuer
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { AuthorizationOptions } from "../../packages/auth/src/index.js";
import { createSigner, type Signer, signToken } from "./tokens.js";

/** Resource that the tokens are issued for. */
export const RESOURCE = "http://127.0.0.1/mcp";

/** Responds to a request. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A running issuer. */
export interface Issuer {
  readonly url: string;
  /** Responses by path. Other paths get 404. */
  readonly answers: Map<string, Answer>;
  /** Requested paths. */
  readonly asked: string[];
  /** Publishes keys at the default path. */
  publish(keys: readonly unknown[]): void;
  close(): Promise<void>;
}

export const KEYS_PATH = "/.well-known/jwks.json";

/** Starts an issuer on a free port. */
export async function startIssuer(): Promise<Issuer> {
  const answers = new Map<string, Answer>();
  const asked: string[] = [];
  const http = createServer((request, response) => {
    const path = request.url ?? "/";
    asked.push(path);
    const answer = answers.get(path);
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, // listening on a port
    answers,
    asked,
    publish: (keys) => void answers.set(KEYS_PATH, json({ keys })),
    async close() {
      http.close();
      http.closeAllConnections();
      await once(http, "close");
    },
  };
}

/** Responds with JSON. */
export function json(value: unknown): Answer {
  return (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
  };
}

/** Returns the current time in seconds. */
export const seconds = (): number => Math.floor(Date.now() / 1_000);

/** Returns valid claims with some replaced; `undefined` removes a claim. */
export function goodClaims(issuer: string, replaced: Readonly<Record<string, unknown>> = {}) {
  const now = seconds();
  return {
    iss: issuer,
    aud: RESOURCE,
    sub: "ada",
    client_id: "desk",
    scope: "notes:read",
    iat: now - 1,
    exp: now + 300,
    ...replaced,
  };
}

/** Returns a valid token with some claims replaced. */
export function goodToken(
  issuer: Issuer,
  signer: Signer,
  replaced: Readonly<Record<string, unknown>> = {},
): string {
  const { alg, kid } = signer;
  return signToken({ alg, kid, typ: "at+jwt" }, goodClaims(issuer.url, replaced), signer);
}

/** Starts an issuer with one key, and returns the options for a server that trusts it. */
export async function startTrust(): Promise<{
  readonly issuer: Issuer;
  readonly signer: Signer;
  readonly options: Extract<AuthorizationOptions, { mode: "oauth" }>;
  readonly token: (replaced?: Readonly<Record<string, unknown>>) => string;
}> {
  const issuer = await startIssuer();
  const signer = createSigner("ES256", "first");
  issuer.publish([signer.jwk]);
  const options = { mode: "oauth", issuer: issuer.url, resource: RESOURCE, discover: false } as const;
  return { issuer, signer, options, token: (replaced) => goodToken(issuer, signer, replaced) };
}
