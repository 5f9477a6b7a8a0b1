import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRecords } from "../../../examples/mail/records.js";
import { createAuthorization } from "../src/index.js";
import { TOKEN_PROBLEMS } from "../src/tokens/problems.js";
import { defineServer } from "tenon";
import { type Endpoint, read } from "../../../tests/support/http-faces.js";
import { modernCall, openSession } from "../../../tests/support/http-messages.js";
import { openServe } from "../../../tools/tokens/doors.js";

const RESOURCE = "https://mcp.example/mcp";
const OTHER = "https://other.example/mcp";
const CLIENT = { id: "robot", secret: "a-secret-for-this-test-only" };

const createKey = (kid: string) => ({
  ...generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" }),
  kid,
  alg: "ES256",
  use: "sig",
});

let offset = 0;
let base = "";
let door: Endpoint;
let rotate: (keys: readonly unknown[]) => void;
let stop: () => Promise<void>;

/** Creates a real authorization server that issues JWTs for the requested resource (RFC 8707, RFC 9068). */
function createProvider(keys: readonly unknown[]): Provider {
  return new Provider(base, {
    adapter: createRecords(),
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
        id_token_signed_response_alg: "ES256",
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    jwks: { keys: keys as [] }, // the library's type for keys is too strict
    cookies: { keys: ["a-cookie-key-for-this-test-only"] },
    scopes: ["notes:read", "notes:write"],
    ttl: { ClientCredentials: 300 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, resource) => ({
          scope: "notes:read notes:write",
          audience: resource,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "ES256" } },
        }),
      },
    },
  });
}

beforeAll(async () => {
  const http = createServer().listen(0, "127.0.0.1");
  await once(http, "listening");
  base = `http://127.0.0.1:${(http.address() as AddressInfo).port}`; // listening on a port
  let handle: ReturnType<Provider["callback"]> | undefined;
  rotate = (keys) => {
    handle = createProvider(keys).callback();
  };
  http.on("request", (request, response) => void handle?.(request, response));
  rotate([createKey("monday")]);
  const server = defineServer({ name: "notes", version: "1.0.0" })
    .tool("whoami", { handler: (_, call) => JSON.stringify(call.auth) })
    .tool("write", { scopes: ["notes:write"], handler: () => "written" })
    .build();
  door = await openServe(
    server,
    createAuthorization({
      mode: "oauth",
      issuer: base,
      resource: RESOURCE,
      ports: { now: () => Date.now() + offset },
    }),
  );
  stop = async () => {
    http.close();
    http.closeAllConnections();
    await once(http, "close");
  };
});

afterAll(async () => {
  await door.close();
  await stop();
});

async function getToken(resource: string, scope: string): Promise<string> {
  const response = await fetch(`${base}/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
      resource,
      scope,
    }),
  });
  const { access_token: token } = (await response.json()) as { readonly access_token?: string };
  if (token === undefined) throw new Error(`No token in a response with status ${response.status}.`);
  return token;
}

const call = async (name: string, token: string) => {
  const headers = { authorization: `Bearer ${token}` };
  const response = await door.fetch(modernCall(name, {}, { headers }));
  return { challenge: response.headers.get("www-authenticate"), ...(await read(response)) };
};

test("T41: accepts a token from a real authorization server in both protocol eras", async () => {
  const token = await getToken(RESOURCE, "notes:read");
  const { status, body } = await call("whoami", token);
  expect(status).toBe(200);
  const auth = {
    principal: JSON.stringify([base, "robot", "robot"]),
    clientId: "robot",
    scopes: ["notes:read"],
  };
  const { content } = body["result"] as { readonly content: readonly { readonly text: string }[] };
  expect(JSON.parse(content[0]?.text ?? "")).toMatchObject(auth);
  const session = await openSession(door, { headers: { authorization: `Bearer ${token}` } });
  expect((await session.call("whoami")).status).toBe(200);
});

test("T57: refuses its token for a different resource", async () => {
  const { status, challenge } = await call("whoami", await getToken(OTHER, "notes:read"));
  expect(status).toBe(401);
  expect(challenge).toBe(
    `Bearer error="invalid_token", error_description="${TOKEN_PROBLEMS.audience}", resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"`,
  );
});

test("T57: names the missing scope, and accepts a token that has it", async () => {
  const { status, challenge } = await call("write", await getToken(RESOURCE, "notes:read"));
  expect([status, challenge]).toEqual([
    403,
    'Bearer error="insufficient_scope", scope="notes:write", resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"',
  ]);
  expect(await call("write", await getToken(RESOURCE, "notes:read notes:write"))).toMatchObject({
    status: 200,
  });
});

test("the metadata names the authorization server", async () => {
  for (const path of ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"]) {
    const response = await door.fetch({}, path);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect((await read(response)).body).toEqual({
      resource: RESOURCE,
      authorization_servers: [base],
      bearer_methods_supported: ["header"],
    });
  }
});

test("follows the authorization server's key rotation", async () => {
  const old = await getToken(RESOURCE, "notes:read");
  rotate([createKey("tuesday")]);
  const fresh = await getToken(RESOURCE, "notes:read");
  offset = 15_000;
  expect(await call("whoami", fresh)).toMatchObject({ status: 200 });
  expect(await call("whoami", old)).toMatchObject({
    status: 401,
    challenge: expect.stringContaining(TOKEN_PROBLEMS.key) as unknown,
  });
});
