import { describe, expect, test } from "vitest";
import {
  createWorld,
  ENDPOINT,
  ISSUER,
  json,
  PRM,
  setUp,
  stepUp,
  type World,
} from "../support/client-auth/world.js";

const TOKEN = `${ISSUER}/token`;
const HOUR_MS = 3_600_000;
const scopeOf = (world: World) => world.visits.at(-1)?.searchParams.get("scope");
const grantsOf = (world: World) => world.bodiesOf(TOKEN).map((body) => body["grant_type"]);

/** Answers token requests with each of the given responses, and then as usual. */
function answerTokens(world: World, ...responses: readonly (() => Response | Promise<Response>)[]): void {
  const issue = world.answers.get(TOKEN);
  const left = [...responses];
  world.answers.set(TOKEN, (request) => left.shift()?.() ?? issue?.(request) ?? {});
}

describe("a token that expires", () => {
  test("is refreshed a minute before, with the resource and the same client", async () => {
    const world = createWorld();
    const { renew, token, clock, lines } = setUp(world);
    await renew();
    clock.advance(HOUR_MS - 70_000);
    expect(await token()).toBe("access-1");
    clock.advance(15_000);
    expect(await token()).toBe("access-2");
    expect(world.bodiesOf(TOKEN)[1]).toEqual({
      grant_type: "refresh_token",
      refresh_token: "refresh-1",
      client_id: "client-1",
      resource: "https://mcp.example.com/mcp",
    });
    clock.advance(HOUR_MS);
    expect(await token()).toBe("access-3");
    expect(world.bodiesOf(TOKEN)[2]).toMatchObject({ refresh_token: "refresh-2" });
    expect(lines).toEqual([
      "Obtained an access token for https://mcp.example.com.",
      "Refreshed the access token for https://mcp.example.com.",
      "Refreshed the access token for https://mcp.example.com.",
    ]);
  });

  test("keeps its refresh token and its scopes if the server sends no new ones", async () => {
    const world = createWorld();
    answerTokens(
      world,
      () =>
        json(200, {
          access_token: "a",
          token_type: "Bearer",
          expires_in: 60,
          refresh_token: "r",
          scope: "x",
        }),
      () => json(200, { access_token: "b", token_type: "Bearer", expires_in: 60 }),
    );
    const { renew, token, clock } = setUp(world);
    await renew();
    clock.advance(60_000);
    expect(await token()).toBe("b");
    clock.advance(60_000);
    await token();
    expect(world.bodiesOf(TOKEN)[2]).toMatchObject({ refresh_token: "r" });
  });

  test("and lives for a short time is used for half of it", async () => {
    const world = createWorld();
    answerTokens(world, () =>
      json(200, { access_token: "a", token_type: "Bearer", expires_in: 20, refresh_token: "r" }),
    );
    const { renew, token, clock } = setUp(world);
    await renew();
    clock.advance(9_000);
    expect(await token()).toBe("a");
    clock.advance(2_000);
    expect(await token()).toBe("access-1");
  });

  test("is returned synchronously while it is fresh", async () => {
    const { renew, auth } = setUp(createWorld());
    await renew();
    expect(auth.token({ url: ENDPOINT })).toBe("access-1");
  });

  test("is refreshed once for ten parallel requests", async () => {
    const world = createWorld();
    const { renew, token, clock } = setUp(world);
    await renew();
    clock.advance(HOUR_MS);
    const tokens = await Promise.all(Array.from({ length: 10 }, token));
    expect(new Set(tokens)).toEqual(new Set(["access-2"]));
    expect(grantsOf(world)).toEqual(["authorization_code", "refresh_token"]);
  });

  test("is refreshed once for ten rejected requests", async () => {
    const world = createWorld();
    const { renew, token } = setUp(world);
    await renew();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => renew({ token: "access-1" })));
    expect(outcomes).toEqual(Array.from({ length: 10 }, () => true));
    expect(await renew({ token: "access-1" })).toBe(true); // a late response
    expect(await token()).toBe("access-2");
    expect(grantsOf(world)).toEqual(["authorization_code", "refresh_token"]);
    expect(world.visits).toHaveLength(1);
  });

  test("is used while the server is not available, as long as it is valid", async () => {
    const world = createWorld();
    const { renew, token, clock, lines } = setUp(world);
    await renew();
    clock.advance(HOUR_MS - 30_000);
    answerTokens(world, () => json(503, {}));
    expect(await token()).toBe("access-1");
    expect(lines).toContain("Could not refresh the access token for https://mcp.example.com: unreachable.");
    // The next attempt follows after a pause.
    expect(await token()).toBe("access-1");
    expect(grantsOf(world)).toHaveLength(2);
    clock.advance(11_000);
    expect(await token()).toBe("access-2");
  });

  test("is an error after it has expired, if the server is not available", async () => {
    const world = createWorld();
    const { renew, token, clock } = setUp(world);
    await renew();
    clock.advance(HOUR_MS);
    answerTokens(world, () => json(503, {}));
    await expect(token()).rejects.toMatchObject({
      code: "unavailable",
      message: "https://auth.example.com could not be reached. Try again later.",
    });
    expect(await token()).toBe("access-2");
  });

  test("is used again by a later process, which refreshes it", async () => {
    const world = createWorld();
    const { renew, store } = setUp(world);
    await renew();
    const later = setUp(world, { store });
    expect(await later.token()).toBe("access-1");
    later.clock.advance(HOUR_MS);
    expect(await later.token()).toBe("access-2");
    expect(grantsOf(world)).toEqual(["authorization_code", "refresh_token"]);
  });
});

describe("a refresh token that is no longer valid", () => {
  test.each(["invalid_grant", "unauthorized_client"])("leads to a new sign-in (%s)", async (error) => {
    const world = createWorld();
    const { renew, token } = setUp(world);
    await renew({ header: 'Bearer scope="a"' });
    answerTokens(world, () => json(400, { error }));
    expect(await renew({ token: "access-1" })).toBe(true);
    expect(await token()).toBe("access-2");
    expect(world.visits).toHaveLength(2);
    expect(scopeOf(world)).toBe("a"); // the scopes of the first sign-in
  });

  test("leaves the expired token, which the server rejects with a challenge", async () => {
    const world = createWorld();
    const { renew, token, clock } = setUp(world);
    await renew();
    clock.advance(HOUR_MS);
    answerTokens(world, () => json(400, { error: "invalid_grant" }));
    expect(await token()).toBe("access-1");
    expect(await token()).toBe("access-1");
    expect(grantsOf(world)).toHaveLength(2);
    expect(await renew({ token: "access-1" })).toBe(true);
    expect(await token()).toBe("access-2");
  });

  test("is not sent if a different process has stored a newer token", async () => {
    const world = createWorld();
    const { renew, token, store, clock } = setUp(world);
    await renew();
    const other = setUp(world, { store });
    other.clock.advance(HOUR_MS);
    expect(await other.token()).toBe("access-2");
    clock.advance(HOUR_MS);
    expect(await token()).toBe("access-2");
    expect(await renew({ token: "access-1" })).toBe(true);
    expect(grantsOf(world)).toHaveLength(2);
  });

  test("does not lead to a sign-in if a store without a lock has a newer token", async () => {
    const world = createWorld();
    const memory = setUp(world).store;
    const store = {
      get: (key: string) => memory.get(key),
      set: (key: string, value: unknown) => memory.set(key, value),
      delete: (key: string) => memory.delete(key),
    };
    const first = setUp(world, { store });
    await first.renew();
    const second = setUp(world, { store });
    first.clock.advance(HOUR_MS);
    second.clock.advance(HOUR_MS);
    let isUsed = false;
    const issue = world.answers.get(TOKEN);
    world.answers.set(TOKEN, async (request) => {
      if (isUsed) {
        await expect.poll(() => firstToken).toBe("access-2");
        return json(400, { error: "invalid_grant" });
      }
      isUsed = true;
      return issue?.(request) ?? {};
    });
    let firstToken: string | undefined;
    const [one, two] = await Promise.all([
      first.token().then((token) => (firstToken = token)),
      second.token(),
    ]);
    expect([one, two]).toEqual(["access-2", "access-2"]);
  });
});

describe("the resource metadata of an earlier challenge", () => {
  const CUSTOM = "https://mcp.example.com/custom.json";

  test("is used if a later challenge does not announce it, also by a later process", async () => {
    const world = createWorld();
    const document = world.answers.get(PRM) ?? (() => ({}));
    world.answers.delete(PRM);
    world.answers.set(CUSTOM, document);
    const { renew, store } = setUp(world);
    await renew({ header: `Bearer resource_metadata="${CUSTOM}"` });
    const header = 'Bearer error="insufficient_scope", scope="b"';
    expect(await setUp(world, { store }).renew({ status: 403, header, token: "access-1" })).toBe(true);
    expect(scopeOf(world)).toBe("b");
    // Without it, the well-known URLs are used.
    world.answers.delete(CUSTOM);
    world.answers.set(PRM, document);
    expect(await setUp(world, { store }).renew({ token: "access-2" })).toBe(true);
  });
});

describe("a server that rejects new tokens", () => {
  test("does not cause endless refreshes and sign-ins", async () => {
    const world = createWorld();
    const { renew, token } = setUp(world);
    let renewals = 0;
    const failure = await (async () => {
      for (; renewals < 100; renewals++) await renew({ token: await token() });
      return undefined;
    })().catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: "token_rejected",
      message:
        "https://mcp.example.com/mcp has rejected 5 new access tokens in 5 minutes. " +
        "Check that the server accepts tokens of its authorization server.",
    });
    expect(world.visits).toHaveLength(5);
    expect(grantsOf(world).filter((grant) => grant === "refresh_token").length).toBeLessThanOrEqual(5);
  });

  test("is tried again later", async () => {
    const world = createWorld();
    const { renew, token, clock } = setUp(world);
    await expect(
      (async () => {
        for (let attempt = 0; attempt < 100; attempt++) await renew({ token: await token() });
      })(),
    ).rejects.toMatchObject({ code: "token_rejected" });
    clock.advance(5 * 60_000);
    expect(await renew({ token: await token() })).toBe(true);
  });
});

describe("a step-up", () => {
  test("requests the earlier scopes and the new ones", async () => {
    const world = createWorld({ resource: { scopes_supported: ["unrelated"] } });
    const { renew, token } = setUp(world);
    await renew({ header: 'Bearer scope="a"' });
    expect(await renew({ status: 403, header: stepUp("b c"), token: "access-1" })).toBe(true);
    expect(scopeOf(world)).toBe("a b c");
    expect(await token()).toBe("access-2");
    expect(grantsOf(world)).toEqual(["authorization_code", "authorization_code"]);
  });

  test("keeps the scopes that the server granted by default", async () => {
    const world = createWorld();
    answerTokens(world, () => json(200, { access_token: "a", token_type: "Bearer", scope: "default extra" }));
    const { renew } = setUp(world);
    await renew();
    await renew({ status: 403, header: stepUp("b"), token: "a" });
    expect(scopeOf(world)).toBe("default extra b");
  });

  test("survives a refresh and a new sign-in", async () => {
    const world = createWorld();
    const { renew, clock } = setUp(world);
    await renew({ header: 'Bearer scope="a"' });
    await renew({ status: 403, header: stepUp("b"), token: "access-1" });
    await renew({ token: "access-2", header: 'Bearer scope="a"' });
    clock.advance(61_000);
    answerTokens(world, () => json(400, { error: "invalid_grant" }));
    await renew({ token: "access-3", header: 'Bearer scope="c"' });
    expect(scopeOf(world)).toBe("a b c");
  });

  test("does not ask the user twice for the same scopes", async () => {
    const world = createWorld();
    const { renew, clock } = setUp(world);
    await renew({ header: 'Bearer scope="admin"' });
    await expect(renew({ status: 403, header: stepUp("admin"), token: "access-1" })).rejects.toMatchObject({
      code: "insufficient_scope",
      message:
        "The server requires these scopes: admin. Another sign-in would not help, because the last one already " +
        "requested them.",
    });
    expect(world.visits).toHaveLength(1);
    clock.advance(5 * 60_000);
    expect(await renew({ status: 403, header: stepUp("admin"), token: "access-1" })).toBe(true);
    expect(world.visits).toHaveLength(2);
  });

  test("without scopes uses those in the metadata, or fails", async () => {
    const header = 'Bearer error="insufficient_scope"';
    const world = createWorld({ resource: { scopes_supported: ["b"] } });
    const { renew } = setUp(world);
    await renew({ header: 'Bearer scope="a"' });
    expect(await renew({ status: 403, header, token: "access-1" })).toBe(true);
    expect(scopeOf(world)).toBe("a b");
    const bare = setUp(createWorld());
    await bare.renew();
    await expect(bare.renew({ status: 403, header, token: "access-1" })).rejects.toMatchObject({
      code: "insufficient_scope",
      message: "The server requires further scopes, but does not name them.",
    });
  });

  test("stops if the server asks for one more scope each time", async () => {
    const world = createWorld();
    const { renew, token } = setUp(world);
    await renew({ header: 'Bearer scope="a"' });
    const failure = await (async () => {
      for (let step = 0; step < 50; step++)
        await renew({ status: 403, header: stepUp(`scope-${step}`), token: await token() });
      return undefined;
    })().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "token_rejected" });
    expect(world.visits).toHaveLength(5);
  });

  test("of two requests with different scopes leads to a token with both", async () => {
    const world = createWorld();
    const { renew, token } = setUp(world);
    await renew({ header: 'Bearer scope="a"' });
    const [one, two] = await Promise.all([
      renew({ status: 403, header: stepUp("b"), token: "access-1" }),
      renew({ status: 403, header: stepUp("c"), token: "access-1" }),
    ]);
    expect([one, two]).toEqual([true, true]);
    // The second request is repeated with the first one's token, and rejected again.
    expect(await token()).toBe("access-2");
    await renew({ status: 403, header: stepUp("c"), token: "access-2" });
    expect(scopeOf(world)).toBe("a b c");
  });

  test("forgets earlier scopes that the server no longer knows", async () => {
    const world = createWorld();
    const { renew } = setUp(world);
    await renew({ header: 'Bearer scope="old"' });
    world.callback = () => ({ code: undefined, error: "invalid_scope" });
    const rejection = { status: 403, header: stepUp("new"), token: "access-1" };
    await expect(renew(rejection)).rejects.toMatchObject({
      code: "authorization_failed",
      reason: "invalid_scope",
    });
    world.callback = () => ({});
    expect(await renew(rejection)).toBe(true);
    expect(scopeOf(world)).toBe("new");
  });
});

describe("the store", () => {
  test("is read once for a server that does not require tokens", async () => {
    let reads = 0;
    const { store } = setUp(createWorld());
    const counting = { ...store, get: (key: string) => ((reads += 1), store.get(key)) };
    const { auth } = setUp(createWorld(), { store: counting });
    expect(await auth.token({ url: ENDPOINT })).toBeUndefined();
    expect(auth.token({ url: ENDPOINT })).toBeUndefined();
    expect(reads).toBe(1);
  });

  test.each([undefined, null, 7, "text", {}, { accessToken: "a" }, { accessToken: "a", url: ENDPOINT.href }])(
    "with the damaged record %j has no token",
    async (damaged) => {
      const store = { get: async () => damaged, set: async () => true, delete: async () => true };
      expect(await setUp(createWorld(), { store }).token()).toBeUndefined();
    },
  );

  test("with the record of a different endpoint has no token", async () => {
    const world = createWorld();
    const first = setUp(world);
    await first.renew();
    const store = { ...first.store, get: () => first.store.get(lastKey) };
    let lastKey = "";
    const watched = { ...first.store, get: (key: string) => first.store.get((lastKey = key)) };
    expect(await setUp(world, { store: watched }).token()).toBe("access-1");
    const { auth } = setUp(world, { store });
    expect(await auth.token({ url: new URL("https://evil.example.com/mcp") })).toBeUndefined();
  });

  test("receives keys of limited length", async () => {
    const keys: string[] = [];
    const { store } = setUp(createWorld());
    const watched = { ...store, get: (key: string) => (keys.push(key), store.get(key)) };
    const { auth } = setUp(createWorld(), { store: watched });
    await auth.token({ url: new URL(`https://mcp.example.com/${"x".repeat(5_000)}`) });
    expect(keys).toEqual([expect.stringMatching(/^mcp:token:[\w-]{43}$/)]);
  });
});

describe("a sign-out", () => {
  const REVOKE = `${ISSUER}/revoke`;

  test("revokes the refresh token and deletes everything", async () => {
    const world = createWorld({ server: { revocation_endpoint: REVOKE } });
    world.answers.set(REVOKE, () => new Response(null, { status: 200 }));
    const { auth, renew, token } = setUp(world);
    await renew();
    await auth.signOut(ENDPOINT);
    expect(world.bodiesOf(REVOKE)).toEqual([{ token: "refresh-1", client_id: "client-1" }]);
    expect(await token()).toBeUndefined();
    await renew();
    expect(world.visits.at(-1)?.searchParams.get("client_id")).toBe("client-2");
  });

  test.each([
    ["does not support it", {}],
    ["fails", { revocation_endpoint: REVOKE }],
  ])("deletes the token if the server %s", async (_case, server) => {
    const world = createWorld({ server });
    world.answers.set(REVOKE, () => json(500, {}));
    const { auth, renew, token, lines } = setUp(world);
    await renew();
    await auth.signOut(ENDPOINT.href);
    expect(await token()).toBeUndefined();
    expect(lines.at(-1)).toBe("Deleted the access token for https://mcp.example.com.");
  });

  test("without a token does nothing", async () => {
    const world = createWorld();
    await setUp(world).auth.signOut(ENDPOINT);
    expect(world.requests).toEqual([]);
  });
});
