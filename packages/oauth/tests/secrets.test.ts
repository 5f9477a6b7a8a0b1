import { inspect } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { CONFIDENTIAL_CLIENT_ID } from "../../../examples/mail/authorization-server.js";
import { signIn } from "../../../examples/mail/user-agent.js";
import { createOAuthAdapters } from "../src/index.js";
import { readToken } from "../src/tokens/token-store.js";
import {
  ADA,
  createClock,
  HOUR_MS,
  rewriteAnswer,
  SCOPE,
  setUp,
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

/** Sends requests, and records every secret in them and in their responses. */
function watchSecrets() {
  const secrets = new Set<string>();
  const send = async (url: string, init: RequestInit): Promise<Response> => {
    const { body } = init;
    if (body instanceof URLSearchParams) {
      for (const name of ["code", "code_verifier", "refresh_token", "client_secret"]) {
        const value = body.get(name);
        if (value !== null) secrets.add(value);
      }
    }
    const response = await fetch(url, init);
    if (new URL(url).pathname === "/token") {
      const answer = (await response.clone().json()) as Record<string, unknown>;
      for (const name of ["access_token", "refresh_token", "id_token"]) {
        if (typeof answer[name] === "string") secrets.add(answer[name]);
      }
    }
    return response;
  };
  return { secrets, send };
}

/** Returns everything that an error could show, including hidden members and causes. */
const allOf = (error: unknown) => inspect(error, { depth: Infinity, showHidden: true, getters: true });

const CASES: Readonly<Record<string, Stand["tokenAnswer"]>> = {
  "a valid response": undefined,
  "an unknown token type": rewriteAnswer((body) => (body["token_type"] = "mystery")),
  "no access token": rewriteAnswer((body) => (body["access_token"] = 7)),
  "tokens in an error": (request, response) =>
    rewriteAnswer((body) => {
      body["error"] = String(body["access_token"]);
      response.statusCode = 400;
    })?.(request, response) ?? false,
};

test.each(Object.entries(CASES))(
  "tokens, codes, secrets, and verifiers never reach a log, an error, a page, or a store key: %s",
  async (_case, answer) => {
    const { secrets, send } = watchSecrets();
    const shown: string[] = [];
    const config = { clientId: CONFIDENTIAL_CLIENT_ID, clientSecret: stand.clientSecret };
    const setup = await setUp(stand, { config, environment: { fetch: send } });
    const note = (error: unknown) => void shown.push(allOf(error));
    stand.tokenAnswer = answer;
    await setup.adapter.getAccessToken().catch(note);
    shown.push((await setup.visits[0])?.body ?? "");

    // A successful login, a refresh with this case's response, and a refresh with a revoked token.
    stand.tokenAnswer = undefined;
    await setup.adapter.getAccessToken();
    setup.clock.advance(HOUR_MS);
    stand.tokenAnswer = answer;
    await setup.adapter.getAccessToken().catch(note);
    const kept = readToken(await setup.store.get(`${ADA}:mail:token`));
    if (kept !== undefined)
      await setup.store.set(`${ADA}:mail:token`, { ...kept, refreshToken: "canary-refresh" });
    secrets.add("canary-refresh");
    stand.tokenAnswer = undefined;
    setup.clock.advance(2 * HOUR_MS);
    setup.user = { email: ADA, refuses: true };
    await setup.adapter.getAccessToken().catch(note);
    shown.push(...setup.lines, JSON.stringify(await setup.adapter.accounts.list()), allOf(setup.adapter));
    expect(secrets.size).toBeGreaterThanOrEqual(7);
    expect(secrets).toContain(stand.clientSecret);
    const leaked = [...secrets].filter((secret) => shown.some((text) => text.includes(secret)));
    expect(leaked).toEqual([]);
  },
);

test("a failing store's error does not leak tokens", async () => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const tokenStore = {
    get: async () => undefined,
    delete: async () => false,
    set: async (_key: string, value: unknown) => {
      throw new Error(`disk full: ${JSON.stringify(value)}`);
    },
  };
  let visit: Promise<unknown> | undefined;
  const { loopback } = await createOAuthAdapters(
    {
      provider: stand.provider,
      service: "mail",
      clientId: "mail-example",
      scope: SCOPE,
      headless: false,
      tokenStore,
      logger: { debug: write, info: write, warn: write, error: write },
    },
    { ports: createClock().ports, openBrowser: async (url) => void (visit = signIn(url, { email: ADA })) },
  );
  const error = await loopback.getAccessToken().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: "INTERNAL_ERROR",
    message: "The sign-in succeeded, but the tokens could not be stored. Check `tokenStore` and try again.",
  });
  expect(allOf([error, lines, await visit])).not.toContain("accessToken");
  expect(lines).toEqual([
    "Sign-in to mail did not complete. The sign-in succeeded, but the tokens could not be stored. Check `tokenStore` and try again.",
  ]);
});
