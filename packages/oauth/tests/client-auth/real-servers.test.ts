import { createClient } from "tenon/client";
import { LEGACY_REVISIONS, MODERN_REVISIONS } from "tenon/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { signIn, type UserOptions, type Visit } from "../../../../examples/mail/user-agent.js";
import {
  type ClientAuthOptions,
  createClientAuth,
  createMemoryTokenStore,
  discoverAuthorization,
} from "../../src/index.js";
import { createClock } from "../support/fixture.js";
import { callTool } from "../support/client-auth/real-client.js";
import { type RealServers, startRealServers } from "../support/client-auth/real-servers.js";

let servers: RealServers;

beforeAll(async () => {
  servers = await startRealServers();
});
beforeEach(() => {
  servers.grants.length = 0;
  servers.lifetime = 300;
});
afterAll(() => servers.close());

function setUpUser(options: ClientAuthOptions = {}) {
  const visits: Promise<Visit>[] = [];
  const opened: URL[] = [];
  const clock = createClock();
  const user: UserOptions = { email: "ada@example.com" };
  const store = options.store ?? createMemoryTokenStore();
  const auth = createClientAuth({
    clientMetadata: { client_name: "Tests" },
    openBrowser: async (url) => {
      opened.push(url);
      visits.push(signIn(url, setup.user));
    },
    ports: { now: clock.ports.now ?? Date.now },
    ...options,
    store,
  });
  const call = (name: string) => callTool(auth, servers.endpoint, name);
  const setup = { auth, store, visits, opened, clock, call, user };
  return setup;
}

describe("with a real authorization server, a client", () => {
  test("registers itself, signs the user in, and calls a tool", async () => {
    const { call, opened, visits, store, auth } = setUpUser();
    expect(await call("read")).toBe("notes");
    expect(opened).toHaveLength(1);
    expect(Object.fromEntries(opened[0]?.searchParams ?? [])).toMatchObject({
      resource: servers.endpoint.href,
      scope: "notes:read offline_access",
      prompt: "consent",
    });
    expect((await visits[0])?.body).toContain("<h1>You are signed in</h1>");
    expect(await call("read")).toBe("notes");
    expect(servers.grants).toEqual(["authorization_code"]);
    // A later process continues with the stored token.
    const later = setUpUser({ store });
    expect(await later.call("read")).toBe("notes");
    expect(later.opened).toEqual([]);
    expect(await auth.token({ url: new URL("/other", servers.endpoint) })).toBeUndefined();
  });

  test("asks for more scopes when a tool requires them, and keeps the earlier ones", async () => {
    const { call, opened } = setUpUser();
    await call("read");
    expect(await call("write")).toBe("written");
    expect(opened[1]?.searchParams.get("scope")).toBe("notes:read offline_access notes:write");
    expect(await call("read")).toBe("notes");
    expect(opened).toHaveLength(2);
  });

  test("refreshes a token before it expires, and follows the rotation of refresh tokens", async () => {
    const { call, clock, opened } = setUpUser();
    await call("read");
    for (let round = 0; round < 3; round++) {
      clock.advance(250_000);
      expect(await call("read")).toBe("notes");
    }
    expect(servers.grants).toEqual(["authorization_code", "refresh_token", "refresh_token", "refresh_token"]);
    expect(opened).toHaveLength(1);
  });

  test("refreshes an expired token once for ten parallel requests", async () => {
    const { call, clock } = setUpUser();
    await call("read");
    clock.advance(301_000);
    const texts = await Promise.all(Array.from({ length: 10 }, () => call("read")));
    expect(new Set(texts)).toEqual(new Set(["notes"]));
    expect(servers.grants).toEqual(["authorization_code", "refresh_token"]);
  });

  test("refreshes a rejected token once for ten parallel requests", async () => {
    const { call, opened } = setUpUser();
    await call("read");
    servers.rejectSeen();
    const texts = await Promise.all(Array.from({ length: 10 }, () => call("read")));
    expect(new Set(texts)).toEqual(new Set(["notes"]));
    expect(servers.grants).toEqual(["authorization_code", "refresh_token"]);
    expect(opened).toHaveLength(1);
  });

  test("signs the user in again after the grant was revoked", async () => {
    const { call, opened } = setUpUser();
    await call("read");
    servers.rejectSeen();
    servers.revokeAll();
    expect(await call("read")).toBe("notes");
    expect(opened).toHaveLength(2);
    expect(servers.grants).toEqual(["authorization_code", "refresh_token", "authorization_code"]);
  });

  test("signs out at the authorization server", async () => {
    const { call, auth, store, opened } = setUpUser();
    await call("read");
    const copy = createMemoryTokenStore();
    const kept = setUpUser({ store: copy });
    await copyToken(store, copy);
    await auth.signOut(servers.endpoint);
    expect(await auth.token({ url: servers.endpoint })).toBeUndefined();
    // A copy of the refresh token no longer works.
    kept.clock.advance(301_000);
    expect(await kept.auth.token({ url: servers.endpoint })).toEqual(expect.any(String));
    expect(servers.grants).toEqual(["authorization_code", "refresh_token"]);
    expect(await call("read")).toBe("notes");
    expect(opened).toHaveLength(2);
  });

  test("reports that the user denied access", async () => {
    const setup = setUpUser();
    setup.user = { email: "ada@example.com", refuses: true };
    await expect(setup.call("read")).rejects.toMatchObject({ code: "access_denied" });
    expect((await setup.visits[0])?.body).toContain("<h1>Sign-in failed</h1>");
  });

  test.each([...LEGACY_REVISIONS.slice(1), ...MODERN_REVISIONS])(
    "of `tenon/client` signs in and asks for more scopes in revision %s",
    async (revision) => {
      const { auth: authorization, opened, visits } = setUpUser();
      const client = await createClient(servers.endpoint, { authorization, revision });
      const { content } = await client.callTool("write", {});
      expect(content).toEqual([{ type: "text", text: "written" }]);
      await client.close();
      expect(opened.map((url) => url.searchParams.get("scope"))).toEqual([
        "notes:read offline_access",
        "notes:read offline_access notes:write",
      ]);
      await Promise.all(visits);
    },
  );

  test("finds its authorization", async () => {
    expect(await discoverAuthorization(servers.endpoint)).toEqual({
      resource: servers.endpoint.href,
      issuer: servers.issuer,
      scopes: [],
      acceptsMetadataUrl: false,
      acceptsRegistration: true,
      hasResourceMetadata: true,
    });
  });

  async function copyToken(
    from: ReturnType<typeof createMemoryTokenStore>,
    to: ReturnType<typeof createMemoryTokenStore>,
  ): Promise<void> {
    const keys: string[] = [];
    const watched = { ...from, get: (key: string) => (keys.push(key), from.get(key)) };
    await createClientAuth({ store: watched }).token({ url: servers.endpoint });
    for (const key of keys) await to.set(key, await from.get(key));
  }
});
