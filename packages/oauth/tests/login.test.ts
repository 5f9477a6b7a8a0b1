import dns from "node:dns";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { CONFIDENTIAL_CLIENT_ID } from "../../../examples/mail/authorization-server.js";
import { signIn } from "../../../examples/mail/user-agent.js";
import { AuthRequiredError } from "../src/index.js";
import { ADA, GRACE, rewriteAnswer, setUp, type Setup, type Stand, startStand } from "./support/fixture.js";
import { getRaw } from "./support/raw-request.js";

type Found = (error: null, addresses: readonly dns.LookupAddress[]) => void;

let stand: Stand;

beforeAll(async () => {
  stand = await startStand();
});
afterAll(() => stand.close());

/** Creates an adapter whose user stops before the callback. The test then requests the callback itself. */
async function setUpBeforeCallback(): Promise<Setup & { readonly callback: () => Promise<URL> }> {
  const setup = await setUp(stand);
  setup.user = { email: ADA, stopsAt: "http://127.0.0.1:" };
  const callback = async () => {
    const [first] = setup.opened;
    const redirect = first?.searchParams.get("redirect_uri") ?? "";
    return (await signIn(first ?? "", { email: ADA, stopsAt: redirect })).url;
  };
  // The user's first request goes to the authorization server, not to the callback server.
  return { ...setup, callback };
}

async function waitForBrowser(setup: Setup): Promise<URL> {
  await expect.poll(() => setup.opened.length).toBeGreaterThan(0);
  return setup.opened[0] ?? new URL("about:blank");
}

describe("a first login", () => {
  test("Z14: returns an access token that the provider accepts", async () => {
    const setup = await setUp(stand);
    const token = await setup.adapter.getAccessToken();
    const me = await fetch(stand.provider.userEndpoint, { headers: { authorization: `Bearer ${token}` } });
    expect(await me.json()).toEqual({ sub: ADA, email: ADA });
    expect(await setup.adapter.getUserEmail()).toBe(ADA);
    expect(setup.opened).toHaveLength(1);
    expect(setup.lines).toEqual(["Signed in to mail."]);
    expect(setup.clock.waiting()).toBe(0);
  });

  test("Z14: sends PKCE S256, a state and a redirect to a temporary port", async () => {
    const setup = await setUp(stand);
    await setup.adapter.getAccessToken();
    const [url] = setup.opened;
    const parameters = Object.fromEntries(url?.searchParams ?? []);
    expect(`${url?.origin}${url?.pathname}`).toBe(stand.provider.authorizationEndpoint);
    expect(parameters).toEqual({
      prompt: "consent",
      response_type: "code",
      client_id: "mail-example",
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
      scope: "openid email offline_access",
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
  });

  test("stores the tokens, the accounts, and the active account under their keys", async () => {
    const { adapter, store } = await setUp(stand);
    const accessToken = await adapter.getAccessToken();
    expect(await store.get("ada@example.com:mail:token")).toEqual({
      accessToken,
      refreshToken: expect.stringMatching(/.{20}/),
      expiresAt: expect.any(Number),
      scope: "openid email offline_access",
    });
    expect(await store.get("ada@example.com:mail:metadata")).toEqual({
      email: ADA,
      linkedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect(await store.get("mail:linked")).toEqual([ADA]);
    expect(await store.get("mail:active")).toBe(ADA);
  });

  test("ends with a page that runs no scripts and repeats no text from the request", async () => {
    const setup = await setUp(stand);
    await setup.adapter.getAccessToken();
    const visit = await setup.visits[0];
    expect(visit?.status).toBe(200);
    expect(visit?.body).toContain("<h1>You are signed in</h1>");
    expect(visit?.body).not.toMatch(/<script|code=|state/);
  });

  test("is shared by concurrent callers", async () => {
    const setup = await setUp(stand);
    const { adapter } = setup;
    const tokens = await Promise.all([
      adapter.getAccessToken(),
      adapter.getAccessToken(),
      adapter.getUserEmail(),
    ]);
    expect(new Set(tokens).size).toBe(2);
    expect(setup.opened).toHaveLength(1);
  });

  test("Z14: works on localhost, for providers that require it", async () => {
    const provider = { ...stand.provider, redirectHost: "localhost" } as const;
    const setup = await setUp(stand, { config: { provider } });
    expect(await setup.adapter.getUserEmail()).toBe(ADA);
    expect(setup.opened[0]?.searchParams.get("redirect_uri")).toMatch(/^http:\/\/localhost:\d+\/callback$/);
  });

  test("listens on IPv4 and IPv6 with localhost", async (ctx) => {
    const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
      all?.some(({ address }) => address === "::1"),
    );
    if (!hasIpv6) return ctx.skip("This machine does not support IPv6 on the loopback interface.");
    const provider = { ...stand.provider, redirectHost: "localhost" } as const;
    const { adapter } = await setUp(stand, { config: { provider, headless: true } });
    const error = await adapter.getAccessToken().catch((thrown: unknown) => thrown);
    if (!(error instanceof AuthRequiredError)) throw new Error("Expected an AuthRequiredError.");
    const redirect = new URL(new URL(error.authUrl).searchParams.get("redirect_uri") ?? "");
    for (const address of ["127.0.0.1", "[::1]"]) {
      const to = new URL(`http://${address}:${redirect.port}`);
      const known = await getRaw(to, { method: "GET", path: "/callback", headers: { host: redirect.host } });
      expect(known.status).toBe(400);
      expect((await getRaw(to, { method: "GET", path: "/callback", headers: {} })).status).toBe(403);
    }
    adapter.close();
  });

  test("Z16: works for a client with a secret", async () => {
    const config = { clientId: CONFIDENTIAL_CLIENT_ID, clientSecret: stand.clientSecret };
    const setup = await setUp(stand, { config });
    expect(await setup.adapter.getUserEmail()).toBe(ADA);
  });

  test("throws AuthRequiredError if no browser can be opened", async () => {
    const openBrowser = () => Promise.reject(new Error("no display"));
    const { adapter } = await setUp(stand, { environment: { openBrowser } });
    const error = await adapter.getAccessToken().catch((thrown: unknown) => thrown);
    if (!(error instanceof AuthRequiredError)) throw new Error("Expected an AuthRequiredError.");
    await signIn(error.authUrl, { email: ADA });
    expect(await adapter.getUserEmail()).toBe(ADA);
  });
});

describe("a failed login", () => {
  test("reports that the user denied access, to the caller and in the browser", async () => {
    const setup = await setUp(stand);
    setup.user = { email: ADA, refuses: true };
    await expect(setup.adapter.getAccessToken()).rejects.toMatchObject({
      code: "UNAUTHORIZED",
      message: "Sign-in with Example failed (code: access_denied). Try again.",
    });
    const visit = await setup.visits[0];
    expect(visit?.status).toBe(400);
    expect(visit?.body).toContain("<h1>Sign-in failed</h1>");
    setup.user = { email: ADA };
    expect(await setup.adapter.getUserEmail()).toBe(ADA);
  });

  test("stores nothing if the user signed in to a different account", async () => {
    const setup = await setUp(stand);
    setup.user = { email: GRACE };
    await expect(setup.adapter.accounts.add(ADA)).rejects.toMatchObject({
      code: "UNAUTHORIZED",
      message: `The user signed in to a different account than the one requested. Sign in as ${ADA}.`,
    });
    expect(await setup.adapter.accounts.list()).toEqual([]);
    expect(setup.opened[0]?.searchParams.get("login_hint")).toBe(ADA);
  });

  test.each([
    ["no email", "Add mail.read to `scope`.", { readEmail: () => undefined }],
    ["an invalid email", "Add mail.read to `scope`.", { readEmail: () => "ada:\n@x" }],
    ["an unreachable endpoint", "Add mail.read to `scope`.", { userEndpoint: "http://127.0.0.1:1/me" }],
  ])("suggests the missing scope if the provider has %s", async (_case, hint, change) => {
    const provider = { ...stand.provider, emailScope: "mail.read", ...change };
    const setup = await setUp(stand, { config: { provider } });
    await expect(setup.adapter.getAccessToken()).rejects.toThrow(
      `Example did not return the account's email address. ${hint}`,
    );
    await setup.visits[0];
  });

  test("reports a provider whose name resolves to a private address", async () => {
    const real = dns.lookup as (...args: readonly unknown[]) => void;
    const asked: unknown[] = [];
    const fake = (...args: readonly unknown[]) => {
      asked.push(args[0]);
      if (args[0] !== "login.example.com") return real(...args);
      const callback = args.at(-1) as Found; // the last argument of every form of the function
      callback(null, [{ address: "10.0.0.5", family: 4 }]);
    };
    const lookup = vi.spyOn(dns, "lookup").mockImplementation(fake);
    onTestFinished(() => lookup.mockRestore());
    const provider = { ...stand.provider, tokenEndpoint: "https://login.example.com/token" };
    const setup = await setUp(stand, { config: { provider } });
    await expect(setup.adapter.getAccessToken()).rejects.toThrow(
      "Sign-in with Example failed (code: blocked_address). Try again.",
    );
    expect(asked).toContain("login.example.com");
    await setup.visits[0];
  });

  test("reports an invalid token response without its contents", async () => {
    stand.tokenAnswer = (_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"access_token":7}');
      return true;
    };
    const setup = await setUp(stand);
    try {
      await expect(setup.adapter.getAccessToken()).rejects.toThrow(
        "Sign-in with Example failed (code: invalid_response). Try again.",
      );
    } finally {
      stand.tokenAnswer = undefined;
      await setup.visits[0];
    }
  });

  test("stops reading an oversized response", async () => {
    stand.tokenAnswer = rewriteAnswer((body) => (body["padding"] = "x".repeat(300_000)));
    const setup = await setUp(stand);
    try {
      await expect(setup.adapter.getAccessToken()).rejects.toThrow("failed (code: unreachable).");
    } finally {
      stand.tokenAnswer = undefined;
      await setup.visits[0];
    }
  });

  test("times out after five minutes and closes its port", async () => {
    const setup = await setUpBeforeCallback();
    const result = setup.adapter.getAccessToken().catch((error: unknown) => error);
    const url = await waitForBrowser(setup);
    setup.clock.advance(5 * 60_000 - 1_000);
    const stillWaiting = Symbol("waiting");
    expect(
      await Promise.race([result, new Promise((resolve) => setTimeout(resolve, 20, stillWaiting))]),
    ).toBe(stillWaiting);
    setup.clock.advance(1_000);
    expect(await result).toMatchObject({
      code: "TIMEOUT",
      message: "Sign-in with Example timed out after 5 minutes. Try again.",
    });
    await expect(fetch(url.searchParams.get("redirect_uri") ?? "")).rejects.toThrow("fetch failed");
  });

  test("ends immediately when the adapter is closed", async () => {
    const setup = await setUpBeforeCallback();
    const result = setup.adapter.getAccessToken().catch((error: unknown) => error);
    await waitForBrowser(setup);
    setup.adapter.close();
    expect(await result).toMatchObject({ message: "The sign-in was cancelled." });
    expect(setup.clock.waiting()).toBe(0);
  });
});

describe("the callback", () => {
  test.each<readonly [string, (callback: URL) => void]>([
    ["a different state", (url) => url.searchParams.set("state", "x".repeat(43))],
    ["no state", (url) => url.searchParams.delete("state")],
    ["two states", (url) => url.searchParams.append("state", "x")],
  ])("with %s is rejected, and the login continues", async (_case, spoil) => {
    const setup = await setUpBeforeCallback();
    const result = setup.adapter.getAccessToken();
    await waitForBrowser(setup);
    const callback = await setup.callback();
    const spoilt = new URL(callback);
    spoil(spoilt);
    const refused = await fetch(spoilt);
    expect(refused.status).toBe(400);
    const page = await refused.text();
    expect(page).toContain("<h1>No sign-in in progress</h1>");
    expect(page).not.toContain(callback.searchParams.get("code") ?? "?");
    expect((await fetch(callback)).status).toBe(200);
    expect(await result).toMatch(/.{20}/);
  });

  test("is accepted once: a replay during the exchange is rejected, and the port is closed afterward", async () => {
    const setup = await setUpBeforeCallback();
    const result = setup.adapter.getAccessToken();
    await waitForBrowser(setup);
    const callback = await setup.callback();
    const before = stand.tokenRequests();
    const answers = await Promise.all([fetch(callback), fetch(callback), fetch(callback)]);
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(["200", "400", "400"]);
    await result;
    expect(stand.tokenRequests() - before).toBe(1);
    await expect(fetch(callback)).rejects.toThrow("fetch failed");
  });

  test("from a different issuer ends the login, and the code is not sent", async () => {
    const setup = await setUpBeforeCallback();
    const result = setup.adapter.getAccessToken().catch((error: unknown) => error);
    await waitForBrowser(setup);
    const callback = await setup.callback();
    expect(callback.searchParams.get("iss")).toBe(stand.base);
    callback.searchParams.set("iss", "https://evil.example");
    const before = stand.tokenRequests();
    expect((await fetch(callback)).status).toBe(400);
    expect(await result).toMatchObject({
      message: "Sign-in with Example failed (code: wrong_issuer). Try again.",
    });
    expect(stand.tokenRequests()).toBe(before);
  });

  test.each([
    ["a different Host", 403, "GET", { host: "evil.example" }, "/callback"],
    ["the Host of a different port", 403, "GET", { host: "127.0.0.1:1" }, "/callback"],
    ["a different method", 405, "POST", {}, "/callback"],
    ["a different path", 404, "GET", {}, "/favicon.ico"],
    ["an absolute target", 404, "GET", {}, "http://evil.example/callback"],
  ])("with %s is rejected with %i", async (_case, status, method, headers, path) => {
    const setup = await setUpBeforeCallback();
    const result = setup.adapter.getAccessToken().catch((error: unknown) => error);
    const redirect = new URL((await waitForBrowser(setup)).searchParams.get("redirect_uri") ?? "");
    const answer = await getRaw(redirect, { method, path, headers });
    expect(answer.status).toBe(status);
    expect(answer.headers["content-security-policy"]).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(answer.headers).toMatchObject({
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
    setup.adapter.close();
    await result;
  });
});
