import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { ClientAuthError } from "../../src/index.js";
import {
  createWorld,
  ENDPOINT,
  ISSUER,
  json,
  REDIRECT,
  setUp,
  stepUp,
  type World,
  type WorldOptions,
} from "../support/client-auth/world.js";

const TOKEN = `${ISSUER}/token`;
const parametersOf = (world: World) => Object.fromEntries(world.visits.at(-1)?.searchParams ?? []);

describe("an authorization request", () => {
  test("has PKCE with S256, a state, and the resource, which the token request repeats", async () => {
    const world = createWorld();
    await setUp(world).renew();
    const parameters = parametersOf(world);
    expect(parameters).toEqual({
      response_type: "code",
      client_id: "client-1",
      redirect_uri: REDIRECT,
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
      resource: "https://mcp.example.com/mcp",
    });
    const [body = {}] = world.bodiesOf(TOKEN);
    expect(body).toEqual({
      grant_type: "authorization_code",
      client_id: "client-1",
      code: "code-1",
      redirect_uri: REDIRECT,
      code_verifier: expect.stringMatching(/^[\w-]{43,}$/),
      resource: "https://mcp.example.com/mcp",
    });
    const digest = createHash("sha256").update(String(body["code_verifier"])).digest("base64url");
    expect(parameters["code_challenge"]).toBe(digest);
  });

  test("has a new state and verifier each time, and keeps the endpoint's own query", async () => {
    const world = createWorld({ server: { authorization_endpoint: `${ISSUER}/authorize?tenant=7` } });
    const { renew } = setUp(world);
    await renew();
    await renew({ status: 403, header: stepUp("more"), token: "access-1" });
    const [first, second] = world.visits;
    expect(first?.searchParams.get("tenant")).toBe("7");
    expect(first?.searchParams.get("state")).not.toBe(second?.searchParams.get("state"));
    const [one, two] = world.bodiesOf(TOKEN);
    expect(one?.["code_verifier"]).not.toBe(two?.["code_verifier"]);
  });

  test.each<[string, WorldOptions, string | undefined, string | undefined]>([
    ["of the challenge", { resource: { scopes_supported: ["x"] } }, 'Bearer scope="a b"', "a b"],
    ["of the resource metadata", { resource: { scopes_supported: ["x", "y"] } }, "Bearer", "x y"],
    [
      "of the resource metadata if the challenge is empty",
      { resource: { scopes_supported: ["x"] } },
      'Bearer scope=""',
      "x",
    ],
    ["of neither", {}, "Bearer", undefined],
    ["not of the authorization server", { server: { scopes_supported: ["all"] } }, "Bearer", undefined],
    [
      "with offline_access if the server supports it",
      { resource: { scopes_supported: ["x"] }, server: { scopes_supported: ["x", "offline_access"] } },
      undefined,
      "x offline_access",
    ],
    [
      "without offline_access if the server does not list it",
      { resource: { scopes_supported: ["x"] }, server: { scopes_supported: ["x"] } },
      undefined,
      "x",
    ],
    [
      "of neither, even if the server supports offline_access",
      { server: { scopes_supported: ["offline_access"] } },
      undefined,
      undefined,
    ],
  ])("requests the scopes %s", async (_case, options, header, expected) => {
    const world = createWorld(options);
    await setUp(world).renew({ header });
    expect(parametersOf(world)["scope"]).toBe(expected);
    expect(parametersOf(world)["prompt"]).toBe(
      expected?.includes("offline_access") === true ? "consent" : undefined,
    );
  });

  test("omits offline_access if no refresh token is wanted, and adds the application's scopes", async () => {
    const world = createWorld({ server: { scopes_supported: ["offline_access"] } });
    await setUp(world, { refreshTokens: false, scope: "profile" }).renew({ header: 'Bearer scope="a"' });
    expect(parametersOf(world)["scope"]).toBe("a profile");
  });
});

describe("a redirect", () => {
  const EVIL = "https://evil.example.com";

  test.each<[string, object, object, string]>([
    ["without a state", {}, { state: undefined }, "the `state` parameter is wrong or missing"],
    ["with a different state", {}, { state: "forged" }, "the `state` parameter is wrong or missing"],
    [
      "of a different issuer",
      {},
      { iss: EVIL },
      "the `iss` parameter is not the issuer of the authorization server",
    ],
    [
      "of a different issuer, if the server does not advertise it",
      { authorization_response_iss_parameter_supported: undefined },
      { iss: EVIL },
      "the `iss` parameter is not the issuer of the authorization server",
    ],
    [
      "with an empty issuer, if the server does not advertise it",
      { authorization_response_iss_parameter_supported: false },
      { iss: "" },
      "the `iss` parameter is not the issuer of the authorization server",
    ],
    [
      "of the issuer with a slash",
      {},
      { iss: `${ISSUER}/` },
      "the `iss` parameter is not the issuer of the authorization server",
    ],
    [
      "of the issuer in capitals",
      {},
      { iss: "https://AUTH.example.com" },
      "the `iss` parameter is not the issuer of the authorization server",
    ],
    [
      "of the issuer with its port",
      {},
      { iss: `${ISSUER}:443` },
      "the `iss` parameter is not the issuer of the authorization server",
    ],
    [
      "without an issuer, if the server advertises it",
      {},
      { iss: undefined },
      "the `iss` parameter is missing",
    ],
    [
      "with an error of a different issuer",
      {},
      { iss: EVIL, code: undefined, error: "access_denied" },
      "the `iss` parameter is not the issuer of the authorization server",
    ],
  ])("%s is rejected, and its code is sent nowhere", async (_case, server, callback, problem) => {
    const world = createWorld({ server: server as never });
    world.callback = () => callback as never;
    await expect(setUp(world).renew()).rejects.toMatchObject({
      code: "invalid_callback",
      message: `The sign-in was stopped, because ${problem}.`,
    });
    expect(world.paths()).not.toContain("/token");
  });

  test("without an issuer is accepted if the server does not advertise it", async () => {
    const world = createWorld({ server: { authorization_response_iss_parameter_supported: undefined } });
    world.callback = () => ({ iss: undefined });
    expect(await setUp(world).renew()).toBe(true);
  });

  test.each([
    ["a different port", "http://127.0.0.1:4001/callback"],
    ["a different host", "http://localhost:4000/callback"],
    ["a different path", "http://127.0.0.1:4000/other"],
    ["a different scheme", "https://127.0.0.1:4000/callback"],
  ])("to %s is rejected", async (_case, target) => {
    const world = createWorld();
    const authorize = async ({ url }: { readonly url: URL }) => {
      const { search } = await world.authorize({ url });
      return new URL(`${target}${search}`);
    };
    await expect(setUp(world, { authorize }).renew()).rejects.toMatchObject({
      code: "invalid_callback",
      message: "The sign-in was stopped, because the redirect goes to a different URL.",
    });
    expect(world.paths()).not.toContain("/token");
  });

  test.each(["state", "iss", "code"])("with two values of `%s` is rejected", async (name) => {
    const world = createWorld();
    const authorize = async ({ url }: { readonly url: URL }) => {
      const target = await world.authorize({ url });
      target.searchParams.append(name, "second");
      return target;
    };
    await expect(setUp(world, { authorize }).renew()).rejects.toMatchObject({ code: "invalid_callback" });
    expect(world.paths()).not.toContain("/token");
  });

  test.each([
    ["access_denied", "access_denied", "Access was denied by the user or by https://auth.example.com."],
    [
      "invalid_scope",
      "authorization_failed",
      "Authorization by https://auth.example.com failed (code: invalid_scope).",
    ],
    [
      "invalid_target",
      "authorization_failed",
      "Authorization by https://auth.example.com failed (code: invalid_target).",
    ],
    [
      "canary-text",
      "authorization_failed",
      "Authorization by https://auth.example.com failed (code: invalid_response).",
    ],
  ])("with the error %s ends the sign-in", async (error, code, message) => {
    const world = createWorld();
    world.callback = () => ({ code: undefined, error, error_description: "canary-text" });
    await expect(setUp(world).renew()).rejects.toMatchObject({ code, message });
  });

  test("without a code ends the sign-in", async () => {
    const world = createWorld();
    world.callback = () => ({ code: undefined });
    await expect(setUp(world).renew()).rejects.toMatchObject({ code: "authorization_failed" });
  });
});

describe("a token response", () => {
  test.each<[string, () => Response, string, string]>([
    ["an error", () => json(400, { error: "invalid_grant" }), "authorization_failed", "invalid_grant"],
    [
      "no access token",
      () => json(200, { token_type: "Bearer" }),
      "authorization_failed",
      "invalid_response",
    ],
    ["no token type", () => json(200, { access_token: "a" }), "authorization_failed", "invalid_response"],
    [
      "a token that must not be sent as bearer",
      () => json(200, { access_token: "a", token_type: "DPoP" }),
      "authorization_failed",
      "wrong_token_type",
    ],
    [
      "an expiry that is not a number",
      () => json(200, { access_token: "a", token_type: "Bearer", expires_in: "soon" }),
      "authorization_failed",
      "invalid_response",
    ],
    ["a page", () => new Response("<html>"), "authorization_failed", "invalid_response"],
    [
      "a redirect",
      () => new Response(null, { status: 307, headers: { location: "https://evil.example.com/token" } }),
      "authorization_failed",
      "invalid_response",
    ],
  ])("with %s is rejected", async (_case, answer, code, reason) => {
    const world = createWorld();
    world.answers.set(TOKEN, answer);
    const { renew, token } = setUp(world);
    await expect(renew()).rejects.toMatchObject({
      code,
      message: `Authorization by https://auth.example.com failed (code: ${reason}).`,
    });
    expect(await token()).toBeUndefined();
    expect(world.requests.some(({ url }) => url.includes("evil"))).toBe(false);
  });

  test.each([500, 503])("with status %i means that the server is not available", async (status) => {
    const world = createWorld();
    world.answers.set(TOKEN, () => json(status, { error: "invalid_client" }));
    await expect(setUp(world).renew()).rejects.toMatchObject({ code: "unavailable" });
  });
});

describe("a sign-in", () => {
  test("ends after five minutes, and registers the client again the next time", async () => {
    const world = createWorld();
    const { renew, clock, store } = setUp(world);
    await renew();
    let started = 0;
    const authorize = ({ signal }: { readonly signal: AbortSignal }) => {
      started += 1;
      return new Promise<never>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
    };
    const waiting = setUp(world, { store, authorize });
    const rejection = { status: 403, header: stepUp("more"), token: "access-1" };
    const renewed = waiting.renew(rejection);
    await expect.poll(() => started).toBe(1);
    waiting.clock.advance(5 * 60_000);
    await expect(renewed).rejects.toMatchObject({
      code: "timeout",
      message: "The sign-in timed out after 5 minutes. Try again.",
    });
    expect(clock.waiting()).toBe(0);
    await setUp(world, { store }).renew(rejection);
    expect(parametersOf(world)["client_id"]).toBe("client-2");
  });

  test("is shared by requests that were rejected for the same reason, and so is its failure", async () => {
    const world = createWorld();
    world.callback = () => ({ code: undefined, error: "access_denied" });
    const { renew } = setUp(world);
    const header = (trace: number) => `Bearer scope="a", error_description="trace ${trace}"`;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => renew({ header: header(index) })),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => "rejected"));
    expect(world.visits).toHaveLength(1);
    world.callback = () => ({});
    expect(await renew()).toBe(true);
  });

  test("continues while one of its requests waits, and is cancelled with the last one", async () => {
    const world = createWorld();
    let aborted: unknown;
    let finish: (url: URL) => void = () => {};
    const authorize = async ({ url, signal }: { readonly url: URL; readonly signal: AbortSignal }) => {
      const target = await world.authorize({ url });
      signal.addEventListener("abort", () => (aborted = signal.reason), { once: true });
      return new Promise<URL>((resolve) => (finish = () => resolve(target)));
    };
    const { renew, token } = setUp(world, { authorize });
    const [first, second] = [new AbortController(), new AbortController()];
    const one = renew({ signal: first.signal });
    const two = renew({ signal: second.signal });
    await expect.poll(() => world.visits.length).toBe(1);
    first.abort(new Error("first"));
    await expect(one).rejects.toThrow("first");
    expect(aborted).toBeUndefined();
    finish(REDIRECT as never);
    expect(await two).toBe(true);
    expect(await token()).toBe("access-1");

    const third = new AbortController();
    const three = renew({ token: "access-1", status: 403, header: stepUp("b"), signal: third.signal });
    await expect.poll(() => world.visits.length).toBe(2);
    third.abort(new Error("third"));
    await expect(three).rejects.toThrow("third");
    expect(aborted).toEqual(new Error("third"));
  });

  test("does not start for a request that was already cancelled", async () => {
    const world = createWorld();
    const signal = AbortSignal.abort(new Error("stopped"));
    await expect(setUp(world).renew({ signal })).rejects.toThrow("stopped");
    expect(world.requests).toEqual([]);
  });

  test("fails with the error of the application's function", async () => {
    const authorize = () => Promise.reject(new ClientAuthError("access_denied", "No thanks."));
    await expect(setUp(createWorld(), { authorize }).renew()).rejects.toThrow("No thanks.");
  });

  test("does not start for other rejections", async () => {
    const world = createWorld();
    const { renew } = setUp(world);
    expect(await renew({ status: 403, header: 'Bearer error="invalid_token"' })).toBe(false);
    expect(await renew({ status: 403 })).toBe(false);
    expect(await renew({ status: 500 })).toBe(false);
    expect(world.requests).toEqual([]);
  });

  test.each(["http://mcp.example.com/mcp", "http://192.168.0.7/mcp"])("is rejected for %s", async (url) => {
    const world = createWorld();
    await expect(setUp(world).renew({ url: new URL(url) })).rejects.toMatchObject({ code: "insecure_url" });
    expect(world.requests).toEqual([]);
  });

  test("obtains a token only for its own endpoint", async () => {
    const world = createWorld();
    const { auth, renew } = setUp(world);
    await renew();
    expect(await auth.token({ url: ENDPOINT })).toBe("access-1");
    for (const url of [
      "https://mcp.example.com/",
      "https://mcp.example.com/mcp/x",
      "https://mcp.example.com/mcp?a=1",
      "https://evil.example.com/mcp",
    ])
      expect(await auth.token({ url: new URL(url) })).toBeUndefined();
    expect(await auth.token({ url: new URL(`${ENDPOINT.href}#part`) })).toBe("access-1");
  });
});
