import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { signIn } from "../../../examples/mail/user-agent.js";
import { AuthRequiredError, type CachedToken } from "../src/index.js";
import { readToken } from "../src/tokens/token-store.js";
import {
  ADA,
  GRACE,
  HOUR_MS,
  rewriteAnswer,
  setUp,
  type Setup,
  type Stand,
  startStand,
} from "./support/fixture.js";

let stand: Stand;

beforeAll(async () => {
  stand = await startStand();
});
beforeEach(() => {
  stand.tokenAnswer = undefined;
});
afterAll(() => stand.close());

const KEY = `${ADA}:mail:token`;

async function tokenIn({ store }: Setup, key = KEY): Promise<CachedToken> {
  const token = readToken(await store.get(key));
  if (token === undefined) throw new Error("No token is stored.");
  return token;
}

async function setUpSignedIn(headless = false): Promise<Setup> {
  const setup = await setUp(stand, { config: { headless } });
  await setup.adapter.getAccessToken().catch((error: unknown) => {
    if (error instanceof AuthRequiredError) return signIn(error.authUrl, { email: ADA });
    throw error;
  });
  return setup;
}

const answerWith =
  (status: number, body: object): Stand["tokenAnswer"] =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    return true;
  };

describe("an access token", () => {
  test("is used from the store until a minute before it expires, and then refreshed", async () => {
    const setup = await setUpSignedIn();
    const first = await setup.adapter.getAccessToken();
    const before = stand.tokenRequests();
    setup.clock.advance(HOUR_MS - 70_000);
    expect(await setup.adapter.getAccessToken()).toBe(first);
    expect(stand.tokenRequests()).toBe(before);
    setup.clock.advance(15_000);
    const second = await setup.adapter.getAccessToken();
    expect(second).not.toBe(first);
    expect(stand.tokenRequests()).toBe(before + 1);
    expect(setup.opened).toHaveLength(1);
    expect(setup.lines).toEqual(["Signed in to mail.", "Refreshed an access token for mail."]);
  });

  test("is refreshed exactly once for 200 concurrent callers", async () => {
    const setup = await setUpSignedIn();
    const first = await setup.adapter.getAccessToken();
    setup.clock.advance(HOUR_MS);
    const before = stand.tokenRequests();
    const tokens = await Promise.all(Array.from({ length: 200 }, () => setup.adapter.getAccessToken()));
    expect(stand.tokenRequests() - before).toBe(1);
    expect(new Set(tokens).size).toBe(1);
    expect(tokens[0]).not.toBe(first);
  });

  test("is refreshed once per account, and accounts do not share tokens", async () => {
    const setup = await setUpSignedIn();
    setup.user = { email: GRACE };
    await setup.adapter.accounts.add();
    setup.clock.advance(HOUR_MS);
    const before = stand.tokenRequests();
    const ids = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? ADA : GRACE));
    const tokens = await Promise.all(ids.map((id) => setup.adapter.getAccessToken(id)));
    expect(stand.tokenRequests() - before).toBe(2);
    expect(new Set(tokens.filter((_, index) => index % 2 === 0))).toEqual(
      new Set([(await tokenIn(setup)).accessToken]),
    );
    const me = await fetch(stand.provider.userEndpoint, {
      headers: { authorization: `Bearer ${tokens[1]}` },
    });
    expect(await me.json()).toMatchObject({ email: GRACE });
  });

  test("that the API rejected is replaced on the next call", async () => {
    const setup = await setUpSignedIn();
    const first = await setup.adapter.getAccessToken();
    await setup.adapter.invalidate();
    expect(await setup.adapter.getAccessToken()).not.toBe(first);
  });
});

describe("a refresh token", () => {
  test("is replaced by each rotation", async () => {
    const setup = await setUpSignedIn();
    const seen = new Set([(await tokenIn(setup)).refreshToken]);
    for (let round = 0; round < 3; round++) {
      setup.clock.advance(HOUR_MS);
      await setup.adapter.getAccessToken();
      seen.add((await tokenIn(setup)).refreshToken);
    }
    expect(seen.size).toBe(4);
    expect(setup.opened).toHaveLength(1);
  });

  test("is kept, like the scope, if the provider does not send a new one", async () => {
    const setup = await setUpSignedIn();
    const { refreshToken, scope } = await tokenIn(setup);
    stand.tokenAnswer = rewriteAnswer((body) => {
      delete body["refresh_token"];
      delete body["scope"];
    });
    setup.clock.advance(HOUR_MS);
    await setup.adapter.getAccessToken();
    expect(await tokenIn(setup)).toMatchObject({ refreshToken, scope });
  });

  test("revoked at the provider makes the user sign in again to the same account", async () => {
    const setup = await setUpSignedIn();
    const { refreshToken = "" } = await tokenIn(setup);
    const revoked = await fetch(`${stand.base}/token/revocation`, {
      method: "POST",
      body: new URLSearchParams({ token: refreshToken, client_id: "mail-example" }),
    });
    expect(revoked.status).toBe(200);
    setup.clock.advance(HOUR_MS);
    expect(await setup.adapter.getAccessToken()).toBe((await tokenIn(setup)).accessToken);
    expect(setup.opened).toHaveLength(2);
    expect(setup.opened[1]?.searchParams.get("login_hint")).toBe(ADA);
    expect(setup.lines.slice(1)).toEqual([
      "Could not refresh an access token for mail: invalid_grant.",
      "Signed in to mail.",
    ]);
  });

  test("that was revoked is sent only once, even if a headless server is called again", async () => {
    const setup = await setUpSignedIn(true);
    stand.tokenAnswer = answerWith(400, { error: "invalid_grant" });
    setup.clock.advance(HOUR_MS);
    const before = stand.tokenRequests();
    const ask = () => setup.adapter.getAccessToken().catch((error: unknown) => error);
    const errors = [await ask(), await ask(), await ask()];
    expect(errors.every((error) => error instanceof AuthRequiredError)).toBe(true);
    expect(stand.tokenRequests() - before).toBe(1);
    stand.tokenAnswer = undefined;
    await signIn((errors[0] as AuthRequiredError).authUrl, { email: ADA });
    expect(await setup.adapter.getAccessToken()).toMatch(/.{20}/);
  });

  test("that a different process has just used does not force a new sign-in", async () => {
    const setup = await setUpSignedIn();
    setup.clock.advance(HOUR_MS);
    const other = { accessToken: "from-the-other-process", refreshToken: "newer" };
    stand.tokenAnswer = (_request, response) => {
      void setup.store
        .set(KEY, other)
        .then(() =>
          response.writeHead(400, { "content-type": "application/json" }).end('{"error":"invalid_grant"}'),
        );
      return true;
    };
    expect(await setup.adapter.getAccessToken()).toBe("from-the-other-process");
    expect(setup.opened).toHaveLength(1);
  });

  test("does not restore an account that was removed during the refresh", async () => {
    const setup = await setUpSignedIn();
    setup.clock.advance(HOUR_MS);
    stand.tokenAnswer = (_request, response) => {
      const answer = { access_token: "late", token_type: "Bearer" };
      void setup.adapter.accounts
        .remove(ADA)
        .then(() =>
          response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer)),
        );
      return true;
    };
    await expect(setup.adapter.getAccessToken()).rejects.toThrow(
      `Account "${ADA}" is not linked. Sign in to it first.`,
    );
    expect(await setup.store.get(KEY)).toBeUndefined();
  });
});

describe("a failing provider", () => {
  test.each([
    ["a server error", 503, { error: "temporarily_unavailable" }, "unreachable"],
    ["an invalid response", 200, { hello: "world" }, "invalid_response"],
    ["an unknown error code", 400, { error: "<script>alert(1)</script>" }, "invalid_response"],
  ])("with %s fails the call without a new sign-in", async (_case, status, body, reason) => {
    const setup = await setUpSignedIn();
    setup.clock.advance(HOUR_MS);
    stand.tokenAnswer = answerWith(status, body);
    await expect(setup.adapter.getAccessToken()).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      message: `Could not refresh the access token with Example: ${reason}. Try again later.`,
    });
    stand.tokenAnswer = undefined;
    expect(await setup.adapter.getAccessToken()).toMatch(/.{20}/);
    expect(setup.opened).toHaveLength(1);
  });

  test("does not affect a token that is still valid", async () => {
    const setup = await setUpSignedIn();
    const first = await setup.adapter.getAccessToken();
    setup.clock.advance(HOUR_MS - 30_000);
    stand.tokenAnswer = answerWith(503, {});
    expect(await setup.adapter.getAccessToken()).toBe(first);
  });
});
