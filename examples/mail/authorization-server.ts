/**
 * @fileoverview A real authorization server on localhost that replaces Google's or Microsoft's. Any user can sign in.
 * `provider` describes the server to `createOAuthAdapters`.
 * @module examples/mail/authorization-server
 */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Provider } from "oidc-provider";
import { createRecords } from "./records.js";

/** Client IDs of the two registered clients: a public client, and a client with a secret. */
export const CLIENT_ID = "mail-example";
export const CONFIDENTIAL_CLIENT_ID = "mail-example-confidential";

/** Runs before the server handles a request. Returns true if it has sent the response itself. */
export type Before = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Running authorization server. */
export interface AuthorizationServer {
  readonly base: string;
  readonly clientSecret: string;
  /** `provider` option for `createOAuthAdapters`. */
  readonly provider: {
    readonly name: string;
    readonly issuer: string;
    readonly authorizationEndpoint: string;
    readonly tokenEndpoint: string;
    readonly userEndpoint: string;
    readonly authorizationParameters: Readonly<Record<string, string>>;
  };
  readonly close: () => Promise<void>;
}

/** Starts the server on a free port. */
export async function startAuthorizationServer(before: Before = () => false): Promise<AuthorizationServer> {
  const http = createServer();
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const base = `http://127.0.0.1:${(http.address() as AddressInfo).port}`; // an object for TCP servers
  const clientSecret = randomBytes(24).toString("base64url");
  const oidc = createProvider(base, clientSecret);
  const handle = oidc.callback();
  http.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (before(request, response)) return;
    if (request.url?.startsWith("/interaction/") !== true) return void handle(request, response);
    interact(oidc, request, response).catch(() =>
      response.writeHead(400).end("The sign-in session has expired. Start again."),
    );
  });
  return {
    base,
    clientSecret,
    provider: {
      name: "Example",
      issuer: base,
      authorizationEndpoint: `${base}/auth`,
      tokenEndpoint: `${base}/token`,
      userEndpoint: `${base}/me`,
      // The server issues refresh tokens only after consent.
      authorizationParameters: { prompt: "consent" },
    },
    close: () => stop(http),
  };
}

function createProvider(base: string, clientSecret: string): Provider {
  const client = {
    application_type: "native" as const,
    redirect_uris: ["http://127.0.0.1/callback", "http://localhost/callback"],
    grant_types: ["authorization_code", "refresh_token"],
    id_token_signed_response_alg: "ES256" as const,
  };
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return new Provider(base, {
    adapter: createRecords(),
    clients: [
      { ...client, client_id: CLIENT_ID, token_endpoint_auth_method: "none" },
      {
        ...client,
        client_id: CONFIDENTIAL_CLIENT_ID,
        client_secret: clientSecret,
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), alg: "ES256", use: "sig" }] },
    cookies: { keys: [randomBytes(24).toString("base64url")] },
    claims: { openid: ["sub"], email: ["email"] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, revocation: { enabled: true } },
    ttl: {
      AccessToken: 3_600,
      AuthorizationCode: 60,
      Grant: 86_400,
      IdToken: 3_600,
      Interaction: 600,
      RefreshToken: 86_400,
      Session: 86_400,
    },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, email: id }) }),
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
  });
}

/** Shows a form for each step (login and consent) and processes the submitted form. */
async function interact(oidc: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, params, session } = await oidc.interactionDetails(request, response);
  if (request.method !== "POST") {
    const field = prompt.name === "login" ? '<input name="email" type="email" required autofocus>' : "";
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end(
      `<!doctype html><title>Example sign-in</title><form method="post">${field}` +
        `<button name="answer" value="yes">Continue</button>` +
        `<button name="answer" value="no" formnovalidate>Cancel</button></form>`,
    );
    return;
  }
  const form = new URLSearchParams(await text(request));
  if (form.get("answer") === "no") {
    return oidc.interactionFinished(request, response, { error: "access_denied" });
  }
  if (prompt.name === "login") {
    const accountId = form.get("email") ?? "";
    return oidc.interactionFinished(request, response, { login: { accountId } });
  }
  const grant = new oidc.Grant({
    accountId: session?.accountId ?? "",
    clientId: String(params["client_id"]),
  });
  grant.addOIDCScope(String(params["scope"]));
  return oidc.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

async function stop(http: Server): Promise<void> {
  const closed = once(http, "close");
  http.close();
  http.closeAllConnections();
  await closed;
}
