import dns from "node:dns";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { coversEndpoint } from "../../src/client-auth/discovery/resource-metadata.js";
import { ClientAuthError, discoverAuthorization } from "../../src/index.js";
import {
  createWorld,
  ENDPOINT,
  ISSUER,
  json,
  METADATA,
  PRM,
  RESOURCE,
  SERVER,
  setUp,
} from "../support/client-auth/world.js";

const ROOT_PRM = "https://mcp.example.com/.well-known/oauth-protected-resource";
const TENANT = `${ISSUER}/tenant1`;

/** Returns the URLs that a sign-in requests before the registration. */
async function urlsOf(setup: ReturnType<typeof setUp>, header?: string): Promise<readonly string[]> {
  await setup.renew({ header });
  const urls = setup.world.requests.map(({ url }) => url);
  return urls.slice(
    0,
    urls.findIndex((url) => url.endsWith("/register")),
  );
}

describe("the resource metadata", () => {
  test("comes from the challenge if the server announces it", async () => {
    const world = createWorld();
    const announced = "https://mcp.example.com/custom/metadata.json";
    world.answers.set(announced, () => RESOURCE);
    world.answers.delete(PRM);
    const header = `Bearer resource_metadata="${announced}"`;
    expect(await urlsOf(setUp(world), header)).toEqual([announced, METADATA]);
  });

  test("comes from the well-known URL with the endpoint's path, and then without it", async () => {
    expect(await urlsOf(setUp(createWorld()))).toEqual([PRM, METADATA]);
    const world = createWorld();
    world.answers.delete(PRM);
    world.answers.set(ROOT_PRM, () => ({ ...RESOURCE, resource: "https://mcp.example.com" }));
    expect(await urlsOf(setUp(world))).toEqual([PRM, ROOT_PRM, METADATA]);
    expect(world.visits[0]?.searchParams.get("resource")).toBe("https://mcp.example.com");
  });

  test.each([
    ["a page instead of JSON", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
    ["a redirect", () => new Response(null, { status: 302, headers: { location: "https://x.example/" } })],
    ["a status of 401", () => json(401, {})],
    ["an array", () => new Response("[]")],
    ["bytes that are not UTF-8", () => new Response(new Uint8Array([123, 255, 125]))],
    ["too much nesting", () => new Response(`{"a":${"[".repeat(40)}${"]".repeat(40)}}`)],
  ])("is missing if a well-known URL returns %s", async (_case, answer) => {
    const world = createWorld();
    world.answers.set(PRM, answer);
    world.answers.set(ROOT_PRM, () => RESOURCE);
    expect(await urlsOf(setUp(world))).toEqual([PRM, ROOT_PRM, METADATA]);
  });

  test("that was announced must exist", async () => {
    const world = createWorld();
    const header = 'Bearer resource_metadata="https://mcp.example.com/gone"';
    await expect(setUp(world).renew({ header })).rejects.toMatchObject({
      code: "discovery_failed",
      message: "The resource metadata at https://mcp.example.com/gone is not available: HTTP 404.",
    });
    expect(world.requests).toHaveLength(1);
  });

  test.each([500, 503, 429])(
    "is not replaced by a fallback if the server responds with %i",
    async (status) => {
      const world = createWorld();
      world.answers.set(PRM, () => json(status, {}));
      await expect(setUp(world).renew()).rejects.toMatchObject({ code: "unavailable" });
      expect(world.requests).toHaveLength(1);
    },
  );

  test.each<[string, object, string]>([
    ["no resource", { resource: undefined }, "discovery_failed"],
    ["no authorization server", { authorization_servers: [] }, "discovery_failed"],
    ["authorization servers that are not text", { authorization_servers: [7, {}] }, "discovery_failed"],
    ["a different host", { resource: "https://evil.example.com/mcp" }, "resource_mismatch"],
    ["a different port", { resource: "https://mcp.example.com:8443/mcp" }, "resource_mismatch"],
    ["a different scheme", { resource: "http://mcp.example.com/mcp" }, "resource_mismatch"],
    ["a different path", { resource: "https://mcp.example.com/other" }, "resource_mismatch"],
    ["a longer path", { resource: "https://mcp.example.com/mcp/admin" }, "resource_mismatch"],
    [
      "a path that only starts in the same way",
      { resource: "https://mcp.example.com/mc" },
      "resource_mismatch",
    ],
    ["a query", { resource: "https://mcp.example.com/mcp?a=1" }, "resource_mismatch"],
    ["a fragment", { resource: "https://mcp.example.com/mcp#a" }, "resource_mismatch"],
    ["a user name", { resource: "https://me@mcp.example.com/mcp" }, "resource_mismatch"],
    ["text that is not a URL", { resource: "mcp" }, "resource_mismatch"],
  ])("with %s is rejected before any request to an authorization server", async (_case, change, code) => {
    const world = createWorld({ resource: change as never });
    await expect(setUp(world).renew()).rejects.toMatchObject({ code });
    expect(world.paths()).toEqual(["/.well-known/oauth-protected-resource/mcp"]);
    expect(world.visits).toEqual([]);
  });

  test.each<[string, string, boolean]>([
    ["https://a.example/mcp", "https://a.example/mcp", true],
    ["https://a.example", "https://a.example/mcp", true],
    ["https://a.example/", "https://a.example/mcp", true],
    ["HTTPS://A.example:443/mcp", "https://a.example/mcp", true],
    ["https://a.example/mcp/", "https://a.example/mcp", true],
    ["https://a.example/api", "https://a.example/api/mcp", true],
    ["https://a.example/mcp?t=1", "https://a.example/mcp?t=1", true],
    ["https://a.example/mcp", "https://a.example/mcp?t=1", true],
    ["https://a.example/mcp?t=2", "https://a.example/mcp?t=1", false],
    ["https://a.example/x/../api", "https://a.example/api", true],
    ["https://a.example/api/../other", "https://a.example/api", false],
  ])("of %s covers the endpoint %s: %j", (resource, endpoint, expected) => {
    expect(coversEndpoint(resource, new URL(endpoint))).toBe(expected);
  });
});

describe("the authorization server's metadata", () => {
  test.each([
    [
      ISSUER,
      [`${ISSUER}/.well-known/oauth-authorization-server`, `${ISSUER}/.well-known/openid-configuration`],
    ],
    [
      TENANT,
      [
        `${ISSUER}/.well-known/oauth-authorization-server/tenant1`,
        `${ISSUER}/.well-known/openid-configuration/tenant1`,
        `${ISSUER}/tenant1/.well-known/openid-configuration`,
      ],
    ],
  ])("of %s is looked up in the order of the specification", async (issuer, urls) => {
    const world = createWorld({ resource: { authorization_servers: [issuer] } });
    world.answers.delete(METADATA);
    world.answers.set(urls.at(-1) ?? "", () => ({ ...SERVER, issuer }));
    world.callback = () => ({ iss: issuer });
    expect(await urlsOf(setUp(world))).toEqual([PRM, ...urls]);
  });

  test("that does not exist stops the sign-in, without a fallback", async () => {
    const world = createWorld();
    world.answers.delete(METADATA);
    await expect(setUp(world).renew()).rejects.toMatchObject({
      code: "discovery_failed",
      message: `The authorization server ${ISSUER} has no metadata.`,
    });
    expect(world.requests).toHaveLength(3);
  });

  test.each([
    ["a different host", "https://attacker.example.com"],
    ["a slash at the end", `${ISSUER}/`],
    ["different capitals", "https://AUTH.example.com"],
    ["the default port", "https://auth.example.com:443"],
    ["a number", 7],
  ])("of %s in `issuer` is not used", async (_case, issuer) => {
    const world = createWorld({ server: { issuer } });
    await expect(setUp(world).renew()).rejects.toMatchObject({ code: "issuer_mismatch" });
    expect(world.visits).toEqual([]);
    expect(world.paths()).not.toContain("/register");
  });

  test("of the right issuer is found behind a document of a different one", async () => {
    const world = createWorld({ resource: { authorization_servers: [TENANT] } });
    world.answers.set(`${ISSUER}/.well-known/oauth-authorization-server/tenant1`, () => SERVER);
    world.answers.set(`${ISSUER}/tenant1/.well-known/openid-configuration`, () => ({
      ...SERVER,
      issuer: TENANT,
    }));
    world.callback = () => ({ iss: TENANT });
    expect(await setUp(world).renew()).toBe(true);
  });

  test.each([
    ["no token endpoint", { token_endpoint: undefined }, "discovery_failed"],
    ["no authorization endpoint", { authorization_endpoint: undefined }, "discovery_failed"],
    ["an endpoint that is not text", { token_endpoint: 7 }, "discovery_failed"],
    ["an http endpoint", { token_endpoint: "http://auth.example.com/token" }, "blocked_address"],
    ["an endpoint on this machine", { token_endpoint: "http://127.0.0.1:8080/token" }, "blocked_address"],
    ["an endpoint in a private network", { token_endpoint: "https://10.0.0.5/token" }, "blocked_address"],
    [
      "an endpoint of a cloud provider",
      { token_endpoint: "https://169.254.169.254/token" },
      "blocked_address",
    ],
    [
      "a script as the URL for the browser",
      { authorization_endpoint: "javascript:alert(1)" },
      "blocked_address",
    ],
    [
      "a file as the URL for the browser",
      { authorization_endpoint: "file:///etc/passwd" },
      "blocked_address",
    ],
    [
      "this machine as the URL for the browser",
      { authorization_endpoint: "http://localhost:1/x" },
      "blocked_address",
    ],
    ["no PKCE", { code_challenge_methods_supported: undefined }, "pkce_unsupported"],
    ["only plain PKCE", { code_challenge_methods_supported: ["plain"] }, "pkce_unsupported"],
  ])("with %s is rejected before the client registers", async (_case, change, code) => {
    const world = createWorld({ server: change });
    await expect(setUp(world).renew()).rejects.toMatchObject({ code });
    expect(world.paths()).not.toContain("/register");
    expect(world.visits).toEqual([]);
  });

  test.each([
    "http://auth.example.com",
    "https://192.168.1.1",
    "http://127.0.0.1:9000",
    "ftp://auth.example.com",
    "nowhere",
  ])("is not requested from %s for a public MCP server", async (issuer) => {
    const world = createWorld({ resource: { authorization_servers: [issuer] } });
    await expect(setUp(world).renew()).rejects.toBeInstanceOf(ClientAuthError);
    expect(world.requests).toHaveLength(1);
  });

  test("of a host that resolves to a private address is not requested", async () => {
    const asked: unknown[] = [];
    const lookup = vi.spyOn(dns, "lookup").mockImplementation((...args: readonly unknown[]) => {
      asked.push(args[0]);
      const callback = args.at(-1) as (error: null, addresses: readonly dns.LookupAddress[]) => void;
      callback(null, [{ address: "10.0.0.5", family: 4 }]);
    });
    onTestFinished(() => lookup.mockRestore());
    await expect(discoverAuthorization(ENDPOINT)).rejects.toMatchObject({
      code: "blocked_address",
      message:
        `${PRM}: The request was not sent, because the host is a private address. ` +
        "If it is trusted, add its host name to `allowPrivateNetworks`.",
    });
    expect(asked).toEqual(["mcp.example.com"]);
  });

  test("larger than its limit is rejected", async () => {
    const world = createWorld();
    world.answers.set(METADATA, () => ({ ...SERVER, padding: "x".repeat(300_000) }));
    await expect(setUp(world).renew()).rejects.toMatchObject({
      code: "unavailable",
      message: `${METADATA}: The response body is too large (limit: 262144 bytes).`,
    });
  });

  test("that does not arrive in time is given up", async () => {
    const world = createWorld();
    world.answers.set(METADATA, () => new Promise(() => {}));
    const { renew, clock } = setUp(world);
    const renewed = renew();
    await expect.poll(() => clock.waiting()).toBeGreaterThan(0);
    await expect.poll(() => world.requests.length).toBe(2);
    clock.advance(15_001);
    await expect(renewed).rejects.toMatchObject({
      message: `${METADATA}: The server did not respond within 15000 ms.`,
    });
  });

  test("is requested from the server for which the client has an ID", async () => {
    const other = "https://other.example.com";
    const world = createWorld({ resource: { authorization_servers: [other, ISSUER] } });
    const { renew } = setUp(world, { clients: [{ issuer: ISSUER, clientId: "known" }] });
    expect(await renew()).toBe(true);
    expect(world.visits[0]?.searchParams.get("client_id")).toBe("known");
  });
});

describe("a server without resource metadata", () => {
  const ORIGIN = "https://mcp.example.com";

  test("is its own authorization server", async () => {
    const world = createWorld();
    world.answers.delete(PRM);
    const own = { ...SERVER, issuer: ORIGIN };
    world.answers.set(`${ORIGIN}/.well-known/oauth-authorization-server`, () => own);
    world.callback = () => ({ iss: ORIGIN });
    const { renew, token } = setUp(world);
    expect(await renew()).toBe(true);
    expect(await token()).toBe("access-1");
    expect(world.requests.slice(0, 3).map(({ url }) => url)).toEqual([
      PRM,
      ROOT_PRM,
      `${ORIGIN}/.well-known/oauth-authorization-server`,
    ]);
    expect(world.requests[2]?.headers.get("mcp-protocol-version")).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(world.visits[0]?.searchParams.get("resource")).toBe(ENDPOINT.href);
  });

  test("and without any metadata uses the default endpoints", async () => {
    const world = createWorld();
    world.answers.clear();
    world.answers.set(`${ORIGIN}/register`, () => json(201, { client_id: "c", client_secret: "s" }));
    world.answers.set(`${ORIGIN}/token`, () => ({ access_token: "legacy", token_type: "bearer" }));
    world.callback = () => ({ iss: undefined });
    const { renew, token } = setUp(world);
    expect(await renew()).toBe(true);
    expect(await token()).toBe("legacy");
    expect(world.visits[0]?.href).toMatch(/^https:\/\/mcp\.example\.com\/authorize\?/);
    const [request] = world.requests.slice(-1);
    expect(request?.headers.get("authorization")).toBe(`Basic ${btoa("c:s")}`);
  });

  test("is refreshed at the same server", async () => {
    const world = createWorld();
    const register = world.answers.get(`${ISSUER}/register`);
    const issue = world.answers.get(`${ISSUER}/token`);
    world.answers.clear();
    if (register === undefined || issue === undefined) throw new Error("The world is incomplete.");
    world.answers.set(`${ORIGIN}/register`, () => json(201, { client_id: "c", client_secret: "s" }));
    world.answers.set(`${ORIGIN}/token`, issue);
    world.callback = () => ({ iss: undefined });
    const { renew, token, clock, store } = setUp(world);
    await renew();
    clock.advance(3_600_000);
    expect(await token()).toBe("access-2");
    // A later process finds the server again.
    const later = setUp(world, { store });
    later.clock.advance(7_300_000);
    expect(await later.token()).toBe("access-3");
  });
});

describe("discoverAuthorization", () => {
  test("describes the authorization of a server", async () => {
    const world = createWorld({
      resource: { scopes_supported: ["a", "b"] },
      server: { client_id_metadata_document_supported: true, registration_endpoint: undefined },
    });
    expect(await discoverAuthorization(ENDPOINT.href, { fetch: world.fetch })).toEqual({
      resource: ENDPOINT.href,
      issuer: ISSUER,
      scopes: ["a", "b"],
      acceptsMetadataUrl: true,
      acceptsRegistration: false,
      hasResourceMetadata: true,
    });
  });

  test.each(["http://mcp.example.com/mcp", "http://10.0.0.5/mcp", "ftp://mcp.example.com/mcp"])(
    "rejects %s, because tokens could be intercepted",
    async (url) => {
      const world = createWorld();
      await expect(discoverAuthorization(url, { fetch: world.fetch })).rejects.toMatchObject({
        code: "insecure_url",
      });
      expect(world.requests).toEqual([]);
    },
  );

  test("can be cancelled", async () => {
    const world = createWorld();
    world.answers.set(PRM, () => new Promise(() => {}));
    const controller = new AbortController();
    const found = discoverAuthorization(ENDPOINT, { fetch: world.fetch, signal: controller.signal });
    controller.abort(new Error("stopped"));
    await expect(found).rejects.toThrow("stopped");
  });
});
