import { describe, expect, test } from "vitest";
import type { ClientAuthOptions } from "../../src/index.js";
import {
  createWorld,
  ISSUER,
  json,
  PRM,
  type SentRequest,
  setUp,
  stepUp,
  type World,
} from "../support/client-auth/world.js";

const TOKEN = `${ISSUER}/token`;
const REGISTER = `${ISSUER}/register`;
const DOCUMENT = "https://app.example.com/client.json";

const clientIdOf = (world: World) => world.visits.at(-1)?.searchParams.get("client_id");
const lastTo = (world: World, url: string): SentRequest | undefined =>
  world.requests.filter((request) => request.url === url).at(-1);

describe("the client ID", () => {
  const known = { clients: [{ issuer: ISSUER, clientId: "known" }] };
  const elsewhere = { clients: [{ issuer: "https://other.example.com", clientId: "other" }] };
  const document = { clientMetadataUrl: DOCUMENT };
  const accepts = { client_id_metadata_document_supported: true };

  test.each<[string, ClientAuthOptions, object, string]>([
    ["registered in advance, before all others", { ...known, ...document }, accepts, "known"],
    ["the URL of the metadata document, if the server accepts it", document, accepts, DOCUMENT],
    ["registered dynamically, if the server does not accept documents", document, {}, "client-1"],
    ["registered dynamically, if the client has no document", {}, accepts, "client-1"],
    ["registered dynamically, if a client is registered with a different server", elsewhere, {}, "client-1"],
  ])("is %s", async (_case, options, server, expected) => {
    const world = createWorld({ server: server as never });
    expect(await setUp(world, options).renew()).toBe(true);
    expect(clientIdOf(world)).toBe(expected);
    expect(world.bodiesOf(TOKEN)[0]?.["client_id"]).toBe(expected);
    expect(world.paths().includes("/register")).toBe(expected === "client-1");
  });

  test("that cannot be obtained is an error with the solution", async () => {
    const world = createWorld({ server: { registration_endpoint: undefined, ...accepts } });
    await expect(setUp(world, elsewhere).renew()).rejects.toMatchObject({
      code: "client_unknown",
      message:
        "The client has no ID at the authorization server https://auth.example.com, which does not support dynamic " +
        "registration. `clients` contains only clients of https://other.example.com. Register the client there, and " +
        "add it to `clients`, or set `clientMetadataUrl`.",
    });
    expect(world.visits).toEqual([]);
  });
});

describe("a dynamic registration", () => {
  test("describes a native application with refresh tokens", async () => {
    const world = createWorld();
    await setUp(world, { clientMetadata: { client_name: "Notes", software_id: "notes" } }).renew();
    expect(world.bodiesOf(REGISTER)).toEqual([
      {
        client_name: "Notes",
        software_id: "notes",
        redirect_uris: ["http://127.0.0.1:4000/callback"],
        application_type: "native",
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      },
    ]);
  });

  test("describes a web application without refresh tokens", async () => {
    const world = createWorld();
    const redirectUri = "https://app.example.com/callback";
    await setUp(world, { redirectUri, refreshTokens: false }).renew();
    expect(world.bodiesOf(REGISTER)[0]).toMatchObject({
      client_name: "MCP client",
      application_type: "web",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code"],
    });
  });

  test("is used again for the same issuer, also by a later process", async () => {
    const world = createWorld();
    const { renew, store } = setUp(world);
    await renew();
    const again = setUp(world, { store });
    await again.renew({ status: 403, header: stepUp("more"), token: "access-1" });
    expect(clientIdOf(world)).toBe("client-1");
    expect(world.bodiesOf(REGISTER)).toHaveLength(1);
  });

  test("is never used with a different issuer", async () => {
    const world = createWorld();
    const { renew, token } = setUp(world);
    await renew();
    // The server moves to a different authorization server.
    const other = "https://other.example.com";
    const move = (url: string) => url.replace(ISSUER, other);
    const metadata = await (await world.fetch(`${ISSUER}/.well-known/oauth-authorization-server`, {})).text();
    world.answers.set(PRM, () => ({
      resource: "https://mcp.example.com/mcp",
      authorization_servers: [other],
    }));
    world.answers.set(
      move(`${ISSUER}/.well-known/oauth-authorization-server`),
      () => JSON.parse(metadata.replaceAll(ISSUER, other)) as never,
    );
    world.answers.set(move(REGISTER), () => json(201, { client_id: "moved" }));
    world.answers.set(move(TOKEN), () => ({ access_token: "moved-1", token_type: "Bearer" }));
    world.callback = () => ({ iss: other });
    expect(await renew({ token: "access-1" })).toBe(true);
    expect(await token()).toBe("moved-1");
    expect(clientIdOf(world)).toBe("moved");
    const sent = world.requests.filter(({ url }) => url.startsWith(other));
    expect(JSON.stringify(sent.map(({ body }) => body))).not.toMatch(/client-1|refresh-1|access-1/);
    // The first server does not receive the refresh token after the move.
    expect(world.bodiesOf(TOKEN)).toHaveLength(1);
  });

  test("that the server has forgotten is repeated once", async () => {
    const world = createWorld();
    const { renew, token } = setUp(world);
    await renew();
    const issue = world.answers.get(TOKEN);
    world.answers.set(TOKEN, (request) => {
      if (request.body["grant_type"] === "refresh_token" || request.body["client_id"] === "client-1")
        return json(401, { error: "invalid_client" }, { "www-authenticate": 'Basic realm="auth"' });
      return issue?.(request) ?? {};
    });
    expect(await renew({ token: "access-1" })).toBe(true);
    expect(await token()).toBe("access-2");
    expect(clientIdOf(world)).toBe("client-2");
    expect(world.bodiesOf(REGISTER)).toHaveLength(2);
  });

  test("that the server rejects at the exchange is repeated once, and then an error", async () => {
    const world = createWorld();
    const first = setUp(world);
    await first.renew();
    world.answers.set(TOKEN, () => json(400, { error: "invalid_client" }));
    const { renew } = setUp(world, { store: first.store });
    const rejection = { status: 403, header: stepUp("more"), token: "access-1" };
    await expect(renew(rejection)).rejects.toMatchObject({
      code: "authorization_failed",
      message: "Authorization by https://auth.example.com failed (code: invalid_client).",
    });
    expect(world.bodiesOf(REGISTER)).toHaveLength(2);
    expect(world.visits).toHaveLength(3);
  });

  test.each<[string, () => Response, string]>([
    ["an error code", () => json(400, { error: "invalid_redirect_uri" }), "invalid_redirect_uri"],
    ["unknown text", () => json(400, { error: "canary-text" }), "HTTP 400"],
    ["a page", () => new Response("<html>canary-text", { status: 403 }), "HTTP 403"],
    ["no client ID", () => json(201, { client_secret: "canary-text" }), "the response is not valid"],
    ["an empty client ID", () => json(201, { client_id: "" }), "the response is not valid"],
  ])("that the server answers with %s is an error", async (_case, answer, reason) => {
    const world = createWorld();
    world.answers.set(REGISTER, answer);
    const failure = await setUp(world)
      .renew()
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: "registration_failed",
      message:
        `Could not register the client with https://auth.example.com: ${reason}. ` +
        "If the server requires registration in advance, pass the client ID in `clients`.",
    });
    expect(world.visits).toEqual([]);
  });

  test("is repeated after its secret has expired", async () => {
    const world = createWorld({ server: { token_endpoint_auth_methods_supported: ["client_secret_post"] } });
    const { renew, clock } = setUp(world);
    let count = 0;
    world.answers.set(REGISTER, () =>
      json(201, {
        client_id: `client-${++count}`,
        client_secret: "secret",
        client_secret_expires_at: Math.floor(clock.ports.now?.() ?? 0) / 1_000 + 60,
      }),
    );
    await renew();
    clock.advance(61_000);
    await renew({ token: "access-1" });
    expect(clientIdOf(world)).toBe("client-2");
  });
});

describe("the authentication at the token endpoint", () => {
  const authorizationOf = (world: World) => {
    const request = lastTo(world, TOKEN);
    return {
      header: request?.headers.get("authorization") ?? undefined,
      id: request?.body["client_id"],
      secret: request?.body["client_secret"],
    };
  };
  const basic = (text: string) => `Basic ${btoa(text)}`;
  const none = { header: undefined, id: "c", secret: undefined };
  const post = { header: undefined, id: "c", secret: "s-1" };
  const header = { header: basic("c:s-1"), id: undefined, secret: undefined };

  test.each<[string, readonly string[] | undefined, object, object]>([
    ["none", ["none"], {}, none],
    ["none, even if the server sends a secret", ["none"], { client_secret: "s-1" }, none],
    ["none, if the server supports all", ["client_secret_basic", "client_secret_post", "none"], {}, none],
    ["the header, if only it is supported", ["client_secret_basic"], { client_secret: "s-1" }, header],
    ["the body, if only it is supported", ["client_secret_post"], { client_secret: "s-1" }, post],
    ["the header, if the server lists no methods", undefined, { client_secret: "s-1" }, header],
    [
      "the method of the registration",
      ["client_secret_basic", "client_secret_post"],
      { client_secret: "s-1", token_endpoint_auth_method: "client_secret_post" },
      post,
    ],
  ])("uses %s", async (_case, methods, registration, expected) => {
    const world = createWorld({ server: { token_endpoint_auth_methods_supported: methods } });
    world.answers.set(REGISTER, () => json(201, { client_id: "c", ...registration }));
    await setUp(world).renew();
    expect(authorizationOf(world)).toEqual(expected);
  });

  test.each<[string, readonly string[] | undefined, object]>([
    ["supports none of the client's methods", ["private_key_jwt"], {}],
    ["registers a different method", ["none"], { token_endpoint_auth_method: "tls_client_auth" }],
    ["sends no secret", ["client_secret_basic"], {}],
  ])("fails if the server %s", async (_case, methods, registration) => {
    const world = createWorld({ server: { token_endpoint_auth_methods_supported: methods } });
    world.answers.set(REGISTER, () => json(201, { client_id: "c", ...registration }));
    await expect(setUp(world).renew()).rejects.toMatchObject({ code: "client_unknown" });
    expect(world.visits).toEqual([]);
  });

  test.each<[readonly string[] | undefined, object]>([
    [undefined, { header: basic("c-1:a%3Ab+%C3%A9-_.") }],
    [["client_secret_post", "client_secret_basic"], { header: basic("c-1:a%3Ab+%C3%A9-_.") }],
    [["client_secret_post"], { id: "c-1", secret: "a:b \u00e9-_." }],
  ])("with a secret registered in advance follows %j", async (methods, expected) => {
    const world = createWorld({ server: { token_endpoint_auth_methods_supported: methods } });
    const clients = [{ issuer: ISSUER, clientId: "c-1", clientSecret: "a:b \u00e9-_." }];
    await setUp(world, { clients }).renew();
    expect(authorizationOf(world)).toMatchObject(expected);
  });

  test("with a private key sends a signed assertion for this issuer", async () => {
    const { privateKey } = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, [
      "sign",
      "verify",
    ]);
    const world = createWorld({ server: { token_endpoint_auth_methods_supported: ["private_key_jwt"] } });
    await setUp(world, { clients: [{ issuer: ISSUER, clientId: "c", privateKey }] }).renew();
    const body = lastTo(world, TOKEN)?.body ?? {};
    expect(body["client_assertion_type"]).toBe("urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    const [, payload = ""] = String(body["client_assertion"]).split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as object;
    expect(claims).toMatchObject({ iss: "c", sub: "c", aud: ISSUER });
  });
});

describe("client credentials", () => {
  const clients = [{ issuer: ISSUER, clientId: "robot", clientSecret: "s" }];

  test("obtain a token without a user, and a new one when it is rejected", async () => {
    const world = createWorld({
      resource: { scopes_supported: ["a"] },
      server: {
        authorization_endpoint: undefined,
        code_challenge_methods_supported: undefined,
        token_endpoint_auth_methods_supported: ["client_secret_post"],
        scopes_supported: ["offline_access"],
      },
    });
    let count = 0;
    world.answers.set(TOKEN, () => ({
      access_token: `own-${++count}`,
      token_type: "Bearer",
      expires_in: 60,
    }));
    const { renew, token, clock } = setUp(world, { clients, clientCredentials: true });
    expect(await renew()).toBe(true);
    expect(await token()).toBe("own-1");
    expect(world.bodiesOf(TOKEN)).toEqual([
      {
        grant_type: "client_credentials",
        client_id: "robot",
        client_secret: "s",
        resource: "https://mcp.example.com/mcp",
        scope: "a",
      },
    ]);
    clock.advance(60_000);
    expect(await token()).toBe("own-1"); // the server rejects it
    expect(await renew({ token: "own-1" })).toBe(true);
    expect(await token()).toBe("own-2");
    expect(world.visits).toEqual([]);
  });

  test("are not sent to a different authorization server", async () => {
    const world = createWorld({ server: { client_id_metadata_document_supported: true } });
    const other = [{ issuer: "https://other.example.com", clientId: "robot", clientSecret: "s" }];
    const options = { clients: other, clientCredentials: true, clientMetadataUrl: DOCUMENT };
    await expect(setUp(world, options).renew()).rejects.toMatchObject({ code: "client_unknown" });
    expect(world.paths()).not.toContain("/token");
  });

  test("stop after a few rejected tokens", async () => {
    const world = createWorld({ server: { token_endpoint_auth_methods_supported: ["client_secret_post"] } });
    let count = 0;
    world.answers.set(TOKEN, () => ({ access_token: `own-${++count}`, token_type: "Bearer" }));
    const { renew, token } = setUp(world, { clients, clientCredentials: true });
    await renew();
    for (let rejected = 1; rejected < 5; rejected++) expect(await renew({ token: await token() })).toBe(true);
    await expect(renew({ token: await token() })).rejects.toMatchObject({ code: "token_rejected" });
    expect(count).toBe(5);
  });
});
