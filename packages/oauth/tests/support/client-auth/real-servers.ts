/**
 * @fileoverview A real authorization server with dynamic registration and resource indicators, and an MCP server that
 * accepts only its tokens.
 * @module tests/oauth/support/client-auth/real-servers
 */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type KoaContextWithOIDC, Provider } from "oidc-provider";
import { defineServer } from "tenon";
import { toNodeHandler } from "tenon/node";
import { createRecords } from "../../../../../examples/mail/records.js";
import { createAuthorization } from "../../../../auth/src/index.js";

/** Running servers. */
export interface RealServers {
  readonly issuer: string;
  /** URL of the MCP endpoint. */
  readonly endpoint: URL;
  /** Grant types of the token requests so far. */
  readonly grants: string[];
  /** Number of registrations so far. */
  readonly registrations: () => number;
  /** Makes the MCP server reject all tokens that it has seen so far. */
  readonly rejectSeen: () => void;
  /** Ends the user's sessions and revokes all grants. */
  readonly revokeAll: () => void;
  /** Changes the lifetime of new access tokens, in seconds. */
  lifetime: number;
  readonly close: () => Promise<void>;
}

/** Starts both servers on free ports. */
export async function startRealServers(): Promise<RealServers> {
  const [authHttp, mcpHttp] = [createServer(), createServer()];
  const [issuer, mcp] = [await listen(authHttp), await listen(mcpHttp)];
  const endpoint = new URL(`${mcp}/mcp`);
  const grants: string[] = [];
  let registrations = 0;
  const create = (): Provider => {
    const provider = createProvider(issuer, endpoint.href, () => servers.lifetime);
    const note = ({ oidc: { params } }: KoaContextWithOIDC) =>
      void grants.push(String(params?.["grant_type"]));
    return provider.on("grant.success", note).on("grant.error", note);
  };
  let oidc = create();

  authHttp.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith("/interaction/") === true) {
      interact(oidc, request, response).catch(() => response.writeHead(400).end("expired"));
      return;
    }
    if (request.url === "/reg") registrations += 1;
    void oidc.callback()(request, response);
  });

  const seen = new Set<string>();
  const rejected = new Set<string>();
  mcpHttp.on("request", createMcpHandler({ issuer, resource: endpoint.href, seen, rejected }));

  const servers: RealServers = {
    issuer,
    endpoint,
    grants,
    registrations: () => registrations,
    rejectSeen: () => {
      for (const id of seen) rejected.add(id);
    },
    revokeAll: () => {
      oidc = create();
    },
    lifetime: 300,
    close: async () => {
      await Promise.all([authHttp, mcpHttp].map(stop));
    },
  };
  return servers;
}

const SCOPES = "notes:read notes:write";
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

/** Clients that registered themselves survive `revokeAll`, like those in a database. */
const clientRecords = createRecords();

function createProvider(issuer: string, resource: string, lifetime: () => number): Provider {
  const records = createRecords();
  return new Provider(issuer, {
    adapter: (kind: string) => (kind === "Client" ? clientRecords(kind) : records(kind)),
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), alg: "ES256", use: "sig" }] },
    cookies: { keys: [randomBytes(24).toString("base64url")] },
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    pkce: { required: () => true },
    ttl: {
      AccessToken: 300,
      AuthorizationCode: 60,
      Grant: 86_400,
      Interaction: 600,
      RefreshToken: 86_400,
      Session: 600,
    },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, indicator) => {
          if (indicator !== resource) throw new Error("unknown resource");
          return {
            scope: SCOPES,
            audience: resource,
            accessTokenTTL: lifetime(),
            accessTokenFormat: "jwt",
            jwt: { sign: { alg: "ES256" } },
          };
        },
      },
    },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
  });
}

/** Shows a form for each step, and grants all requested scopes. */
async function interact(oidc: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, params, session, grantId } = await oidc.interactionDetails(request, response);
  if (request.method !== "POST") {
    const field = prompt.name === "login" ? '<input name="email">' : "";
    response.writeHead(200, { "content-type": "text/html" });
    response.end(`<form method="post">${field}<button name="answer" value="yes"></button></form>`);
    return;
  }
  const form = new URLSearchParams(await text(request));
  if (form.get("answer") === "no")
    return oidc.interactionFinished(request, response, { error: "access_denied" });
  if (prompt.name === "login") {
    const login = { accountId: form.get("email") ?? "" };
    return oidc.interactionFinished(request, response, { login });
  }
  const ids = { accountId: session?.accountId ?? "", clientId: String(params["client_id"]) };
  const grant = (grantId === undefined ? undefined : await oidc.Grant.find(grantId)) ?? new oidc.Grant(ids);
  const scope = String(params["scope"]);
  grant.addOIDCScope(scope);
  grant.addResourceScope(String(params["resource"]), scope);
  return oidc.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

interface McpOptions {
  readonly issuer: string;
  readonly resource: string;
  readonly seen: Set<string>;
  readonly rejected: ReadonlySet<string>;
}

function createMcpHandler({ issuer, resource, seen, rejected }: McpOptions) {
  const server = defineServer({ name: "notes", version: "1.0.0" })
    .tool("read", { handler: () => "notes" })
    .tool("write", { scopes: ["notes:write"], handler: () => "written" })
    .build();
  const authorization = createAuthorization({
    mode: "oauth",
    issuer,
    resource,
    requiredScopes: ["notes:read"],
    revocation: (_auth, claims) => {
      const id = String(claims["jti"]);
      seen.add(id);
      return rejected.has(id) ? AbortSignal.abort() : undefined;
    },
  });
  return toNodeHandler(server, { authorization });
}

async function listen(http: Server): Promise<string> {
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`; // an object for TCP servers
}

async function stop(http: Server): Promise<void> {
  const closed = once(http, "close");
  http.close();
  http.closeAllConnections();
  await closed;
}
