import { inspect } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type AuthorizationEvent, authorizationFromEnv, createAuthorization } from "../src/index.js";
import type { JwtOptions, OAuthOptions } from "../src/options.js";
import { defineServer, McpError } from "tenon";
import { post } from "../../../tests/support/http-faces.js";
import { initializeBody, modernCall, modernPost } from "../../../tests/support/http-messages.js";
import { type Door, openDoors } from "../../../tools/tokens/doors.js";
import { goodClaims, type Issuer, startTrust } from "../../../tools/tokens/issuer.js";
import { hmacToken, part, type Signer, signToken } from "../../../tools/tokens/tokens.js";

/** Text that must never be repeated. It is valid as a scope, as a name, and as part of a token. */
const CANARY = "CANARY-7f3a";

let issuer: Issuer;
let signer: Signer;
let doors: readonly Door[] = [];
const events: AuthorizationEvent[] = [];
const seenAuth: unknown[] = [];
const logged: unknown[] = [];
const printed: string[] = [];

beforeAll(async () => {
  const trust = await startTrust();
  ({ issuer, signer } = trust);
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream);
    vi.spyOn(stream, "write").mockImplementation(((text: string) => {
      printed.push(text);
      return write(text);
    }) as typeof stream.write);
  }
  const authorization = createAuthorization({
    ...trust.options,
    onEvent: (event) => void events.push(event),
  });
  doors = await openDoors(
    () =>
      defineServer({ name: "canary", version: "1.0.0", log: (record) => void logged.push(record) })
        .tool("see", {
          handler: (_, call) => {
            seenAuth.push(call.auth);
            return "seen";
          },
        })
        .tool("throw", {
          handler: (_, call) => {
            throw new Error(`for ${call.auth?.subject}`);
          },
        })
        .tool("guarded", { scopes: ["vault"], handler: () => "never" })
        .build(),
    authorization,
  );
});

afterAll(async () => {
  vi.restoreAllMocks();
  await Promise.all([...doors, issuer].map((one) => one.close()));
});

/** Returns the headers and body of a response as text. */
async function textOf(response: Response): Promise<string> {
  return JSON.stringify([response.status, [...response.headers], await response.text()]);
}

const signed = (claims: Readonly<Record<string, unknown>>, header: Readonly<Record<string, unknown>> = {}) =>
  signToken({ alg: "ES256", kid: "first", ...header }, goodClaims(issuer.url, claims), signer);

const TOKENS: readonly (readonly [string, () => string])[] = [
  ["a word", () => CANARY],
  ["a part that is not JSON", () => `${part(CANARY)}.${part(CANARY)}.${part(CANARY)}`],
  ["alg", () => signed({}, { alg: CANARY })],
  ["typ", () => signed({}, { typ: CANARY })],
  ["kid", () => signed({}, { kid: CANARY })],
  ["crit", () => signed({}, { crit: [CANARY] })],
  ...["iss", "aud", "exp", "nbf", "cid", "cnf"].map((name): readonly [string, () => string] => [
    name,
    () => signed({ [name]: CANARY }),
  ]),
  ["an invalid scope", () => signed({ scope: `"${CANARY}` })],
  ["a client with a line break", () => signed({ client_id: `\n${CANARY}` })],
  ["an unknown claim", () => signed({ exp: 0, note: CANARY })],
  ["an invalid signature", () => signed({ sub: CANARY }).slice(0, -4) + "AAAA"],
];

test.each(TOKENS)("T57: responses do not repeat %s", async (_name, forge) => {
  const headers = { authorization: `Bearer ${forge()}`, "x-secret": CANARY };
  for (const door of doors) {
    for (const init of [post(initializeBody(), headers), modernCall("see", {}, { headers })]) {
      const response = await door.fetch(init, `/mcp?token=${CANARY}`);
      expect(response.status).toBe(401);
      expect(await textOf(response)).not.toContain(CANARY);
    }
  }
});

test("T57: handlers see a valid token's claims, and responses do not contain the token", async () => {
  const token = signed({ sub: CANARY, client_id: CANARY, scope: CANARY });
  const headers = { authorization: `Bearer ${token}` };
  for (const door of doors) {
    const replies = [
      await door.fetch(modernCall("see", {}, { headers })),
      await door.fetch(modernCall("throw", {}, { headers })),
      await door.fetch(modernCall("guarded", {}, { headers })),
      await door.fetch(modernPost("tools/list", {}, { headers })),
      await door.fetch(post(initializeBody(), headers)),
      await door.fetch({ method: "GET", headers }),
    ];
    for (const reply of replies) expect(await textOf(reply)).not.toContain(CANARY);
  }
  expect(seenAuth.length).toBe(doors.length);
  for (const auth of seenAuth) {
    expect(auth).toMatchObject({ subject: CANARY });
    expect(inspect(auth, { depth: 9 })).not.toContain(token.slice(-20));
    expect(inspect(auth, { depth: 9 })).not.toContain(token.slice(0, 20));
  }
});

test("T57: events, logs, and output contain no text from a token", () => {
  expect(events.length).toBeGreaterThan(50);
  expect(inspect(events, { depth: 9 })).not.toContain(CANARY);
  expect(printed.join("").replaceAll(/ [✓×] .*/g, "")).not.toContain(CANARY);
  // Messages of errors that a handler throws are the application's responsibility.
  const records = logged.map((record) => ({ ...(record as object), error: undefined }));
  expect(inspect(records, { depth: 9 })).not.toContain(CANARY);
});

const OPTIONS: readonly (readonly [string, unknown])[] = [
  ["a short secret", { mode: "jwt", secretKey: CANARY } satisfies JwtOptions],
  ["an issuer", { mode: "oauth", issuer: `http://${CANARY}`, audience: "a" } satisfies OAuthOptions],
  [
    "a URL with a password",
    { mode: "oauth", issuer: `https://a:${CANARY}@b`, audience: "a" } satisfies OAuthOptions,
  ],
  ["a resource", { mode: "oauth", issuer: "https://a", resource: CANARY } satisfies OAuthOptions],
  ["keys", { mode: "oauth", issuer: "https://a", audience: "a", jwksUri: CANARY } satisfies OAuthOptions],
  [
    "scopes",
    {
      mode: "oauth",
      issuer: "https://a",
      audience: "a",
      requiredScopes: [` ${CANARY}`],
    } satisfies OAuthOptions,
  ],
  ["a mode", { mode: CANARY }],
];

test.each(OPTIONS)("T57: the error about %s does not repeat it", (_name, options) => {
  expect(thrown(() => createAuthorization(options as JwtOptions))).not.toContain(CANARY);
});

test.each<readonly [string, Readonly<Record<string, string>>]>([
  ["MCP_AUTH_MODE", { MCP_AUTH_MODE: CANARY }],
  ["MCP_AUTH_SECRET_KEY", { MCP_AUTH_MODE: "jwt", MCP_AUTH_SECRET_KEY: CANARY }],
  ["OAUTH_ISSUER_URL", { MCP_AUTH_MODE: "oauth", OAUTH_ISSUER_URL: CANARY, OAUTH_AUDIENCE: CANARY }],
  ["OAUTH_JWKS_URI", { MCP_AUTH_MODE: "oauth", OAUTH_JWKS_URI: CANARY }],
  ["DEV_MCP_SCOPES", { MCP_AUTH_MODE: "jwt", MCP_AUTH_DEV_BYPASS: "true", DEV_MCP_SCOPES: `"${CANARY}` }],
  ["MCP_AUTH_DEV_BYPASS", { MCP_AUTH_DEV_BYPASS: CANARY }],
])("T57: the error about %s does not repeat it", (_name, env) => {
  expect(thrown(() => authorizationFromEnv(env))).not.toContain(CANARY);
});

test("T57: the secret cannot be read from the authorization object", async () => {
  const secretKey = `${CANARY}-${"x".repeat(32)}`;
  const authorization = createAuthorization({ mode: "jwt", secretKey });
  const claims = { cid: "a", scp: ["a"], exp: Math.floor(Date.now() / 1_000) + 60 };
  const token = hmacToken({ alg: "HS256" }, claims, secretKey);
  const header = () => `Bearer ${token}`;
  const found = await authorization.authenticate({ method: "POST", url: "/", header });
  expect(found).toHaveProperty("auth");
  expect(inspect([authorization, found], { depth: 9, showHidden: true })).not.toContain(CANARY);
});

/** Returns an error with its stack, cause, and properties as text. */
function thrown(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(McpError);
    return inspect(error, { depth: 9, showHidden: true });
  }
  throw new Error("Nothing was thrown.");
}
