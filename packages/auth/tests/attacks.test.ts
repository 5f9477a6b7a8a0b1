import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAuthorization } from "../src/index.js";
import { TOKEN_PROBLEMS } from "../src/tokens/problems.js";
import { defineServer } from "tenon";
import { post, read } from "../../../tests/support/http-faces.js";
import { initializeBody, modernCall } from "../../../tests/support/http-messages.js";
import { exchange, openSocket, rawPost } from "../../../tests/support/http-raw.js";
import { ATTACKS } from "../../../tools/tokens/attack-tokens.js";
import { type Door, openDoors } from "../../../tools/tokens/doors.js";
import { type Cast, createCast, publishedKeys } from "../../../tools/tokens/forge.js";
import { goodClaims, type Issuer, RESOURCE, startIssuer } from "../../../tools/tokens/issuer.js";
import { signToken } from "../../../tools/tokens/tokens.js";

const METADATA = "http://127.0.0.1/.well-known/oauth-protected-resource/mcp";
const BEARER_REQUIRED = "Missing or invalid Authorization header. Bearer scheme required.";

let issuer: Issuer;
let trap: Issuer;
let cast: Cast;
let doors: readonly Door[] = [];
let calls = 0;
let start = 0;

beforeAll(async () => {
  start = performance.now();
  [issuer, trap] = await Promise.all([startIssuer(), startIssuer()]);
  cast = createCast(issuer.url, trap.url);
  issuer.publish(publishedKeys(cast));
  const authorization = createAuthorization({ mode: "oauth", issuer: issuer.url, resource: RESOURCE });
  doors = await openDoors(
    () =>
      defineServer({ name: "guarded", version: "1.0.0" })
        .tool("touch", { handler: () => `touched ${++calls}` })
        .build(),
    authorization,
  );
});

afterAll(async () => {
  await Promise.all([...doors, issuer, trap].map((one) => one.close()));
});

/** Requests sent to every endpoint, one for each protocol era. */
const requests = (headers: Readonly<Record<string, string>>) => [
  post(initializeBody(), headers),
  modernCall("touch", {}, { headers }),
];

/** Expected response to a request without a bearer token. */
const UNAUTHENTICATED = { challenge: `Bearer resource_metadata="${METADATA}"`, message: BEARER_REQUIRED };

interface Refusal {
  readonly challenge: string;
  readonly message: string;
  readonly path?: string;
}

async function expectRefusal(init: RequestInit, door: Door, { challenge, message, path }: Refusal) {
  const response = await door.fetch(init, path);
  const { status, body } = await read(response);
  expect({ status, challenge: response.headers.get("www-authenticate"), body }, door.name).toEqual({
    status: 401,
    challenge,
    body: { jsonrpc: "2.0", id: null, error: { code: -32600, message } },
  });
  expect(response.headers.get("mcp-session-id")).toBeNull();
}

describe("T57: invalid tokens are rejected on every transport", () => {
  test("there are at least 250 attacks with unique names", () => {
    expect(new Set(ATTACKS.map(([name]) => name)).size).toBe(ATTACKS.length);
    expect(ATTACKS.length).toBeGreaterThanOrEqual(250);
  });

  test.each(ATTACKS)("T57: %s is rejected: %s", async (_name, problem, forge) => {
    const before = calls;
    const description = TOKEN_PROBLEMS[problem];
    const challenge = `Bearer error="invalid_token", error_description="${description}", resource_metadata="${METADATA}"`;
    const authorization = `Bearer ${forge(cast)}`;
    for (const door of doors) {
      for (const init of requests({ authorization })) {
        await expectRefusal(init, door, { challenge, message: description });
      }
    }
    expect(calls).toBe(before);
  });

  test("T57: a URL in a token is never requested", () => {
    expect(trap.asked).toEqual([]);
  });
});

const good = () => signToken({ alg: "ES256", kid: "ec" }, goodClaims(issuer.url), cast.ec);

describe("T57: a valid token in the wrong place is rejected", () => {
  const HEADERS: readonly (readonly [string, () => Readonly<Record<string, string>>])[] = [
    ["no header", () => ({})],
    ["an empty header", () => ({ authorization: "" })],
    ["the scheme alone", () => ({ authorization: "Bearer" })],
    ["the token alone", () => ({ authorization: good() })],
    ["Basic", () => ({ authorization: `Basic ${Buffer.from(`user:${good()}`).toString("base64")}` })],
    ["Digest", () => ({ authorization: `Digest ${good()}` })],
    ["DPoP", () => ({ authorization: `DPoP ${good()}` })],
    ["Token", () => ({ authorization: `Token ${good()}` })],
    ["a scheme that starts with Bearer", () => ({ authorization: `Bearers ${good()}` })],
    ["no space", () => ({ authorization: `Bearer${good()}` })],
    ["a tab", () => ({ authorization: `Bearer\t${good()}` })],
    ["a colon", () => ({ authorization: `Bearer: ${good()}` })],
    ["an equals sign", () => ({ authorization: `Bearer=${good()}` })],
    ["quotation marks", () => ({ authorization: `Bearer "${good()}"` })],
    ["a parameter", () => ({ authorization: `Bearer token="${good()}"` })],
    ["two tokens", () => ({ authorization: `Bearer ${good()} ${good()}` })],
    ["two credentials", () => ({ authorization: `Bearer ${good()}, Bearer ${good()}` })],
    ["the scheme twice", () => ({ authorization: `Bearer Bearer ${good()}` })],
    ["non-ASCII letters", () => ({ authorization: `Bearer ${good()}é` })],
    ["a percent sign", () => ({ authorization: `Bearer ${good()}%00` })],
    ["only padding", () => ({ authorization: "Bearer ===" })],
    ["a cookie", () => ({ cookie: `access_token=${good()}; authorization=Bearer ${good()}` })],
    ["a different header", () => ({ "x-authorization": `Bearer ${good()}` })],
    ["the proxy header", () => ({ "proxy-authorization": `Bearer ${good()}` })],
    ["the forwarded header", () => ({ "x-forwarded-access-token": good() })],
  ];

  test.each(HEADERS)("T57: %s", async (_name, headers) => {
    for (const door of doors) {
      for (const init of requests(headers())) {
        await expectRefusal(init, door, UNAUTHENTICATED);
      }
    }
  });

  test("T57: the query string", async () => {
    for (const door of doors) {
      for (const init of requests({})) {
        await expectRefusal(init, door, { ...UNAUTHENTICATED, path: `/mcp?access_token=${good()}` });
      }
    }
  });

  test("T57: the body", async () => {
    const bodies = [
      { ...initializeBody(), access_token: good(), authorization: `Bearer ${good()}` },
      {
        ...initializeBody(),
        params: { ...(initializeBody()["params"] as object), _meta: { token: good() } },
      },
    ];
    for (const door of doors) {
      for (const body of bodies) {
        await expectRefusal(post(body), door, UNAUTHENTICATED);
      }
    }
  });

  test.each([
    ["both valid", () => [good(), good()]],
    ["the first one valid", () => [good(), "abc"]],
    ["the last one valid", () => ["abc", good()]],
  ])("T57: two headers, %s", async (_name, tokens) => {
    for (const { port } of doors.filter((door) => door.port > 0)) {
      const [first, second] = tokens();
      const text = rawPost(JSON.stringify(initializeBody()), {
        Authorization: `Bearer ${first}`,
        authorization: `Bearer ${second}`,
      });
      const [reply] = await exchange(await openSocket(port), text);
      expect(reply?.status).toBe(401);
      expect(reply?.headers["mcp-session-id"]).toBeUndefined();
    }
  });

  test("T57: an oversized header is rejected", async () => {
    const header = { authorization: `Bearer ${"a".repeat(20_000)}` };
    const statuses = await Promise.all(
      doors.map(async (door) => (await door.fetch(post(initializeBody(), header))).status),
    );
    expect(statuses).toEqual([431, 401, 431]);
  });

  test.each(["GET", "DELETE", "POST"])(
    "T57: %s without a token is rejected before the session is checked",
    async (method) => {
      for (const door of doors) {
        const response = await door.fetch({ method, headers: { "mcp-session-id": "guess" } });
        expect(response.status).toBe(401);
      }
    },
  );
});

describe("T57: valid tokens are accepted on every transport", () => {
  const header = (change: Readonly<Record<string, unknown>> = {}) => ({ alg: "ES256", kid: "ec", ...change });
  const claimed = (change: Readonly<Record<string, unknown>>) =>
    signToken(header(), goodClaims(issuer.url, change), cast.ec);
  const GOOD: readonly (readonly [string, () => string])[] = [
    ["RS256", () => `Bearer ${signToken({ alg: "RS256", kid: "rsa" }, goodClaims(issuer.url), cast.rsa)}`],
    ["ES256", () => `Bearer ${good()}`],
    ["EdDSA", () => `Bearer ${signToken({ alg: "EdDSA", kid: "ed" }, goodClaims(issuer.url), cast.ed)}`],
    [
      "PS256",
      () =>
        `Bearer ${signToken({ alg: "PS256", kid: "twin-free" }, goodClaims(issuer.url), { ...cast.rsa, alg: "PS256" })}`,
    ],
    [
      "no kid if only one key matches",
      () => `Bearer ${signToken({ alg: "EdDSA" }, goodClaims(issuer.url), cast.ed)}`,
    ],
    ["the scheme in lower case", () => `bearer ${good()}`],
    ["the scheme in upper case", () => `BEARER  ${good()}`],
    ...["at+jwt", "AT+JWT", "application/at+jwt", "JWT", "jwt", undefined].map(
      (typ): readonly [string, () => string] => [
        `typ ${typ}`,
        () => `Bearer ${signToken(header({ typ }), goodClaims(issuer.url), cast.ec)}`,
      ],
    ),
    [
      "a jku, which is ignored",
      () => `Bearer ${signToken(header({ jku: `${trap.url}/jku` }), goodClaims(issuer.url), cast.ec)}`,
    ],
    ...Object.entries({
      "several audiences": { aud: ["a", RESOURCE] },
      "scp as an array": { scope: undefined, scp: ["a", "b"] },
      "scp as a string": { scope: undefined, scp: "a b" },
      "no scopes": { scope: undefined },
      "no subject": { sub: undefined },
      "the client as cid": { client_id: undefined, cid: "desk" },
      "the client as azp": { client_id: undefined, azp: "desk" },
      "the same client twice": { azp: "desk" },
      "non-ASCII names": { sub: "阿达 ✓" },
      "unknown claims": { constructor: { x: 1 }, hasOwnProperty: 1 },
    }).map(([name, change]): readonly [string, () => string] => [name, () => `Bearer ${claimed(change)}`]),
  ];

  beforeAll(() => {
    const { alg: _alg, ...jwk } = cast.rsa.jwk;
    issuer.publish([...publishedKeys(cast), { ...jwk, kid: "twin-free", alg: "PS256" }]);
  });

  test.each(GOOD)("T41: %s", async (name, authorization) => {
    // This key was published later, so only a new server fetches it.
    const opened = name === "PS256" ? await freshDoors() : doors;
    for (const door of opened) {
      const [legacy, modern] = requests({ authorization: authorization() }) as [RequestInit, RequestInit];
      const greeted = await door.fetch(legacy);
      expect([door.name, greeted.status, greeted.headers.get("www-authenticate")]).toEqual([
        door.name,
        200,
        null,
      ]);
      await greeted.text();
      const { status, body } = await read(await door.fetch(modern));
      expect([status, JSON.stringify(body["result"])]).toEqual([200, expect.stringContaining("touched")]);
    }
    if (opened !== doors) await Promise.all(opened.map((door) => door.close()));
  });

  const freshDoors = () =>
    openDoors(
      () =>
        defineServer({ name: "fresh", version: "1.0.0" })
          .tool("touch", { handler: () => "touched" })
          .build(),
      createAuthorization({ mode: "oauth", issuer: issuer.url, resource: RESOURCE }),
    );

  test("T57: unknown keys make the server fetch the keys at most every 10 seconds", () => {
    const cooldowns = Math.floor((performance.now() - start) / 10_000);
    const fetched = issuer.asked.filter((path) => path.endsWith("jwks.json")).length;
    // The servers with a new key fetch once more.
    expect(fetched).toBeLessThanOrEqual(2 + cooldowns);
  });
});
