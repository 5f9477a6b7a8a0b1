import { createAuthorization, type AuthorizationOptions } from "@tenon/auth";
import type { Authorization } from "tenon/fetch";
import { describe, expect, onTestFinished, test } from "vitest";
import { goodClaims, startTrust } from "../../../../tools/tokens/issuer.js";
import { hmacToken } from "../../../../tools/tokens/tokens.js";
import { toUserId } from "../../src/users/identify.js";
import { connectClient } from "../support/socket/test-client.js";
import { authenticated, startListener } from "../support/users/listeners.js";

const SECRET = "a-shared-secret-of-at-least-32-bytes";

/** Creates an authorization with a shared secret. */
function jwt(options: Partial<Extract<AuthorizationOptions, { readonly mode: "jwt" }>> = {}): Authorization {
  return createAuthorization({ mode: "jwt", secretKey: SECRET, ...options });
}

/** Creates a token that is signed with the secret. */
function tokenFor(claims: Readonly<Record<string, unknown>> = {}, secret = SECRET): string {
  return hmacToken({ alg: "HS256", typ: "JWT" }, goodClaims("https://id.example", claims), secret);
}

/** Connects with a token and returns the user's ID, or the close code. */
async function userOf(url: string, token: string): Promise<unknown> {
  const client = await connectClient(url);
  client.send({ type: "authenticate", data: { token } });
  const connected = client.take("connected").then(({ data }) => data["userId"]);
  return Promise.race([client.closed.then(({ code }) => code), connected.catch(() => client.closed)]);
}

describe("users of @tenon/auth", () => {
  test("with the keys of an issuer, one line identifies users by issuer and subject", async () => {
    const { issuer, options, token } = await startTrust();
    onTestFinished(() => issuer.close());
    const { url } = await startListener({ users: { authorization: createAuthorization(options) } });
    expect(await userOf(url, token())).toBe(JSON.stringify([issuer.url, "ada"]));
    expect(await userOf(url, token({ client_id: "phone" }))).toBe(JSON.stringify([issuer.url, "ada"]));
    expect(await userOf(url, token({ sub: "bob" }))).toBe(JSON.stringify([issuer.url, "bob"]));
    expect(await userOf(url, `${token().slice(0, -8)}AAAAAAAA`)).toBe(4401);
    expect(await userOf(url, token({ aud: "https://other.example" }))).toBe(4401);
    expect(await userOf(url, "not-a-jwt")).toBe(4401);
    const header = await connectClient(url, { headers: { authorization: `Bearer ${token()}` } });
    expect((await header.take("connected")).data["userId"]).toBe(JSON.stringify([issuer.url, "ada"]));
  });

  test("the same subject of different issuers is a different user", async () => {
    const { url } = await startListener({ users: { authorization: jwt() } });
    const ids = await Promise.all(
      [
        { iss: "https://one.example" },
        { iss: "https://two.example" },
        { iss: undefined },
        { iss: 'https://one.example","ada' },
        { sub: undefined },
        { sub: "desk" },
      ].map((claims) => userOf(url, tokenFor(claims))),
    );
    expect(new Set(ids).size).toBe(6);
    expect(ids.every((id) => typeof id === "string")).toBe(true);
  });

  test("a token without a subject identifies its client", async () => {
    const { url } = await startListener({ users: { authorization: jwt() } });
    expect(await userOf(url, tokenFor({ sub: undefined }))).toBe(
      JSON.stringify(["https://id.example", null, "desk"]),
    );
  });

  test("toUser decides about the role, and can reject", async () => {
    const { url, lines } = await startListener({
      users: {
        authorization: jwt(),
        toUser: ({ subject, scopes }, id) =>
          subject === "mallory" ? undefined : { id: subject ?? id, canWrite: scopes.includes("notes:write") },
      },
    });
    const reader = await connectClient(url);
    reader.send({ type: "authenticate", data: { token: tokenFor() } });
    expect((await reader.take("connected")).data).toEqual({ userId: "ada", canWrite: false });
    const writer = await connectClient(url);
    writer.send({ type: "authenticate", data: { token: tokenFor({ scope: "notes:write" }) } });
    expect((await writer.take("connected")).data).toEqual({ userId: "ada", canWrite: true });
    expect(await userOf(url, tokenFor({ sub: "mallory" }))).toBe(4401);
    expect(lines.join()).not.toContain(tokenFor().slice(0, 20));
  });

  test("a missing scope, a wrong secret, and an expired token look the same", async () => {
    const { url } = await startListener({
      users: { authorization: jwt({ requiredScopes: ["notes:read"] }) },
    });
    for (const token of [
      tokenFor({ scope: "other" }),
      tokenFor({}, "a-different-secret-of-at-least-32-bytes"),
      tokenFor({ exp: 1 }),
    ]) {
      const client = await connectClient(url);
      client.send({ type: "authenticate", data: { token } });
      expect(await client.closed).toEqual({ code: 4401, reason: "The token is not valid." });
      expect(client.received.map(({ data }) => data["message"])).toEqual(["The token is not valid."]);
    }
  });

  test("the connection ends with the token", async () => {
    const { url } = await startListener({ users: { authorization: jwt({ clockSkewSeconds: 0 }) } });
    const client = await authenticated(url, tokenFor({ exp: Date.now() / 1_000 + 1 }));
    expect(await client.closed).toEqual({
      code: 4401,
      reason: "The token is no longer valid. Connect again with a new one.",
    });
  });

  test("the connection ends when the token is revoked", async () => {
    const revocation = new AbortController();
    const { url } = await startListener({
      users: { authorization: jwt({ revocation: () => revocation.signal }) },
    });
    const client = await authenticated(url, tokenFor());
    revocation.abort();
    expect((await client.closed).code).toBe(4401);
    expect(await userOf(url, tokenFor())).toBe(4401);
  });

  test("an issuer that cannot be reached does not make a token invalid", async () => {
    const { issuer, options, token } = await startTrust();
    await issuer.close();
    const { url } = await startListener({ users: { authorization: createAuthorization(options) } });
    expect(await userOf(url, token())).toBe(1013);
  });

  test("the development mode accepts clients without a token", async () => {
    const authorization = createAuthorization({ mode: "development", nodeEnv: "test" });
    const { url } = await startListener({ users: { authorization } });
    const client = await connectClient(url);
    expect((await client.take("connected")).data["userId"]).toBe('[null,null,"dev-client-id"]');
  });

  test("the mode without authorization identifies nobody", async () => {
    const authorization = createAuthorization({ mode: "none" });
    const { url, lines } = await startListener({ users: { authorization } });
    expect(await userOf(url, "t-t-t-t")).toBe(4401);
    expect(lines.join()).toContain("The authorization does not identify callers.");
  });
});

describe("the default user ID", () => {
  test.each([
    [{ principal: '["i","s","c"]', subject: "s", clientId: "c", scopes: [] }, '["i","s"]'],
    [{ principal: '["i","s","d"]', subject: "s", clientId: "c", scopes: [] }, '["i","s","d"]'],
    [{ principal: "tenant/ada", subject: "ada", clientId: "c", scopes: [] }, "tenant/ada"],
    [{ principal: "ada", scopes: [] }, "ada"],
  ])("%j", (auth, expected) => {
    expect(toUserId(auth)).toBe(expected);
  });
});
