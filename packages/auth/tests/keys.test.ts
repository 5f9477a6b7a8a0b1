import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AuthorizationEvent, createAuthorization } from "../src/index.js";
import type { OAuthOptions } from "../src/options.js";
import { TOKEN_PROBLEMS } from "../src/tokens/problems.js";
import { defaultKeys, metadataAddresses } from "../src/discovery.js";
import { systemPorts } from "@tenon/internal/ports";
import {
  type Answer,
  goodToken,
  type Issuer,
  json,
  KEYS_PATH,
  RESOURCE,
  startIssuer,
} from "../../../tools/tokens/issuer.js";
import { createSigner, type Signer } from "../../../tools/tokens/tokens.js";

let issuer: Issuer;
let offset = 0;
const first = createSigner("ES256", "first");
const second = createSigner("ES256", "second");

beforeEach(async () => {
  offset = 0;
  issuer = await startIssuer();
  issuer.publish([first.jwk]);
});

afterEach(() => issuer.close());

const pass = (ms: number) => {
  offset += ms;
};

function trust(options: Partial<OAuthOptions> = {}) {
  const events: AuthorizationEvent[] = [];
  const authorization = createAuthorization({
    mode: "oauth",
    issuer: issuer.url,
    resource: RESOURCE,
    discover: false,
    ports: { now: () => Date.now() + offset },
    onEvent: (event) => void events.push(event),
    ...options,
  });
  return {
    events,
    /** Authenticates with a token signed by this key: returns `ok`, or the error response's status and message. */
    show: async (signer: Signer, replaced: Readonly<Record<string, unknown>> = {}): Promise<string> => {
      const token = goodToken(issuer, signer, {
        iat: undefined,
        exp: Math.floor((Date.now() + offset) / 1_000) + 300,
        ...replaced,
      });
      const header = (name: string) => (name === "authorization" ? `Bearer ${token}` : undefined);
      const found = await authorization.authenticate({ method: "POST", url: "/mcp", header });
      return "status" in found ? `${found.status} ${found.message}` : "ok";
    },
  };
}

const unknownKey = `401 ${TOKEN_PROBLEMS.key}`;
const unavailable = "503 The access token cannot be verified right now. Try again later.";

describe("keys are fetched only on demand", () => {
  test("nothing is fetched before the first well-formed token", async () => {
    const { show } = trust();
    expect(issuer.asked).toEqual([]);
    await show({ ...first, alg: "HS256" });
    expect(issuer.asked).toEqual([]);
    expect(await show(first)).toBe("ok");
    expect(issuer.asked).toEqual([KEYS_PATH]);
  });

  test("a hundred concurrent tokens wait for one fetch", async () => {
    const { show } = trust();
    const results = await Promise.all(Array.from({ length: 100 }, () => show(first)));
    expect(new Set(results)).toEqual(new Set(["ok"]));
    expect(issuer.asked).toEqual([KEYS_PATH]);
  });

  test("T57: a flood of unknown keys causes one fetch per cooldown", async () => {
    const { show } = trust({ cooldownMs: 10_000 });
    expect(await show(first)).toBe("ok");
    const flood = () =>
      Promise.all(Array.from({ length: 200 }, (_, index) => show({ ...first, kid: `k${index}` })));
    expect(new Set(await flood())).toEqual(new Set([unknownKey]));
    expect(issuer.asked).toHaveLength(1);
    pass(10_001);
    expect(new Set(await flood())).toEqual(new Set([unknownKey]));
    await flood();
    expect(issuer.asked).toHaveLength(2);
  });

  test("T57: a failing issuer gets one request per cooldown", async () => {
    issuer.answers.set(KEYS_PATH, (_request, response) => response.writeHead(500).end());
    const { show, events } = trust({ cooldownMs: 10_000 });
    const flood = () => Promise.all(Array.from({ length: 100 }, () => show(first)));
    expect(new Set([...(await flood()), ...(await flood())])).toEqual(new Set([unavailable]));
    expect(issuer.asked).toHaveLength(1);
    expect(events.filter(({ type }) => type === "keys-failed")).toHaveLength(1);
    pass(10_001);
    issuer.publish([first.jwk]);
    expect(await show(first)).toBe("ok");
    expect(issuer.asked).toHaveLength(2);
  });

  test("keys are still fetched after the clock is set back", async () => {
    const { show } = trust();
    expect(await show(first)).toBe("ok");
    pass(-3_600_000);
    expect(await show(first)).toBe("ok");
  });
});

describe("key rotation", () => {
  test("finds a new key, and drops a revoked one", async () => {
    const { show } = trust();
    expect(await show(first)).toBe("ok");
    issuer.publish([first.jwk, second.jwk]);
    expect(await show(second)).toBe(unknownKey);
    pass(10_001);
    expect([await show(second), await show(first)]).toEqual(["ok", "ok"]);
    issuer.publish([second.jwk]);
    expect(await show(first)).toBe("ok");
    pass(600_000);
    await expect.poll(() => show(first)).toBe(unknownKey);
    expect(await show(second)).toBe("ok");
    expect(issuer.asked).toHaveLength(3);
  });

  test("accepts an empty key set", async () => {
    const { show } = trust();
    expect(await show(first)).toBe("ok");
    issuer.publish([]);
    pass(600_000);
    await expect.poll(() => show(first)).toBe(unknownKey);
  });

  test("uses old keys for a day while the issuer is unreachable", async () => {
    const { show } = trust();
    expect(await show(first)).toBe("ok");
    issuer.answers.clear();
    pass(3_600_000);
    expect([await show(first), await show(first)]).toEqual(["ok", "ok"]);
    expect(await show(second)).toBe(unknownKey);
    expect(issuer.asked).toHaveLength(2);
    pass(86_400_000);
    expect(await show(first)).toBe(unavailable);
  });
});

describe("responses are limited and never redirected", () => {
  let other: Issuer;
  beforeEach(async () => {
    other = await startIssuer();
    other.publish([first.jwk]);
  });
  afterEach(() => other.close());

  const BAD: readonly (readonly [string, () => Answer])[] = [
    [
      "a redirect",
      () => (_, response) => response.writeHead(302, { location: `${other.url}${KEYS_PATH}` }).end(),
    ],
    ["no content", () => (_, response) => response.writeHead(204).end()],
    ["not found", () => (_, response) => response.writeHead(404).end()],
    ["an HTML page", () => (_, response) => response.writeHead(200).end("<html>")],
    ["an array", () => json([first.jwk])],
    ["no keys", () => json({})],
    ["keys as an object", () => json({ keys: { 0: first.jwk } })],
    ["101 keys", () => json({ keys: Array.from({ length: 101 }, () => first.jwk) })],
    ["too many bytes", () => json({ keys: [first.jwk], padding: "x".repeat(300_000) })],
    [
      "too many bytes in a chunked body",
      () => (_, response) => {
        response.writeHead(200, { "transfer-encoding": "chunked" });
        response.write(JSON.stringify({ keys: [first.jwk] }).slice(0, -1));
        response.end(`,"padding":"${"x".repeat(300_000)}"}`);
      },
    ],
    [
      "JSON nested too deeply",
      () => (_, response) =>
        response.writeHead(200).end(`{"keys":[],"x":${"[".repeat(90)}${"]".repeat(90)}}`),
    ],
    [
      "bytes that are not UTF-8",
      () => (_, response) => response.writeHead(200).end(Uint8Array.of(0x7b, 0xff, 0x7d)),
    ],
    [
      "a truncated response",
      () => (_, response) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write("{");
        setTimeout(() => response.destroy(), 5);
      },
    ],
    ["a closed connection", () => (_, response) => response.destroy()],
  ];

  test.each(BAD)("T57: rejects %s", async (_name, answer) => {
    issuer.answers.set(KEYS_PATH, answer());
    const { show, events } = trust();
    expect(await show(first)).toBe(unavailable);
    expect(events[0]).toEqual({
      type: "keys-failed",
      message: expect.not.stringMatching(/127\.0\.0\.1|html|padding|xxx/) as unknown,
    });
    expect(other.asked).toEqual([]);
  });

  test.each([
    ["never begins", (() => {}) satisfies Answer],
    ["never ends", ((_, response) => void response.writeHead(200).write("{")) satisfies Answer],
  ])("T57: a response that %s times out", async (_name, answer) => {
    issuer.answers.set(KEYS_PATH, answer);
    const waits: number[] = [];
    const startTimer = (task: () => void, ms: number) => {
      waits.push(ms);
      return systemPorts.startTimer(task, 50);
    };
    const { show } = trust({ ports: { startTimer } });
    expect(await show(first)).toBe(unavailable);
    expect(waits).toEqual([5_000]);
  });

  test("a fetch that ignores its signal times out too", async () => {
    const startTimer = (task: () => void) => systemPorts.startTimer(task, 10);
    const { show } = trust({ ports: { startTimer }, fetch: () => new Promise(() => {}) });
    expect(await show(first)).toBe(unavailable);
  });
});

describe("discovery through the issuer's metadata", () => {
  const OAUTH = "/.well-known/oauth-authorization-server";
  const OIDC = "/.well-known/openid-configuration";
  const found = () => ({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys` });

  test.each([
    ["https://id.example", [`https://id.example${OAUTH}`, `https://id.example${OIDC}`]],
    ["https://id.example/", [`https://id.example${OAUTH}`, `https://id.example${OIDC}`]],
    [
      "https://id.example/tenant",
      [
        `https://id.example${OAUTH}/tenant`,
        `https://id.example${OIDC}/tenant`,
        `https://id.example/tenant${OIDC}`,
      ],
    ],
  ])("%s: tries every well-known URL", (url, places) => {
    expect(metadataAddresses(url)).toEqual(places);
  });

  test("T41: without metadata, the keys are under the issuer", () => {
    expect(defaultKeys("https://id.example/tenant/")).toBe("https://id.example/tenant/.well-known/jwks.json");
  });

  test.each([OAUTH, OIDC])("finds the keys through %s", async (path) => {
    issuer.answers.clear();
    issuer.answers.set(path, json(found())).set("/keys", json({ keys: [first.jwk] }));
    const { show } = trust({ discover: true });
    expect(await show(first)).toBe("ok");
    const places = path === OAUTH ? [OAUTH, "/keys"] : [OAUTH, OIDC, "/keys"];
    expect(issuer.asked).toEqual(places);
    pass(600_000);
    expect(await show(first)).toBe("ok");
    await expect.poll(() => issuer.asked).toEqual([...places, "/keys"]);
  });

  test("T41: uses the default URL if the issuer has no metadata", async () => {
    const { show } = trust({ discover: true });
    expect(await show(first)).toBe("ok");
    expect(issuer.asked).toEqual([OAUTH, OIDC, KEYS_PATH]);
  });

  test("runs discovery again after the issuer has moved its keys", async () => {
    issuer.answers.set(OAUTH, json(found())).set("/keys", json({ keys: [first.jwk] }));
    const { show } = trust({ discover: true });
    expect(await show(first)).toBe("ok");
    issuer.answers.delete("/keys");
    issuer.answers.set(OAUTH, json({ ...found(), jwks_uri: `${issuer.url}/moved` }));
    issuer.answers.set("/moved", json({ keys: [second.jwk] }));
    pass(600_000);
    expect(await show(second)).toBe(unknownKey);
    pass(10_001);
    expect(await show(second)).toBe("ok");
  });

  test.each([
    ["a different issuer", () => ({ ...found(), issuer: "https://evil.example" })],
    ["its issuer with a trailing slash", () => ({ ...found(), issuer: `${issuer.url}/` })],
    ["no issuer", () => ({ jwks_uri: `${issuer.url}/keys` })],
    ["no keys", () => ({ issuer: issuer.url })],
    ["keys without TLS", () => ({ ...found(), jwks_uri: "http://keys.example/keys" })],
    ["keys in a file", () => ({ ...found(), jwks_uri: "file:///etc/passwd" })],
    ["keys with a password", () => ({ ...found(), jwks_uri: issuer.url.replace("//", "//a:b@") })],
    ["keys as an array", () => ({ ...found(), jwks_uri: [`${issuer.url}/keys`] })],
  ])("T57: rejects metadata with %s", async (_name, metadata) => {
    issuer.answers.set(OAUTH, json(metadata())).set("/keys", json({ keys: [first.jwk] }));
    const { show } = trust({ discover: true });
    expect(await show(first)).toBe(unavailable);
    expect(issuer.asked).toEqual([OAUTH]);
  });

  test("T57: a remote issuer cannot point to a loopback address", async () => {
    const asked: string[] = [];
    const fetch = async (url: string) => {
      asked.push(url);
      return Response.json({ issuer: "https://id.example", jwks_uri: `${issuer.url}/keys` });
    };
    const { show } = trust({ discover: true, issuer: "https://id.example", fetch });
    expect(await show(first, { iss: "https://id.example" })).toBe(unavailable);
    expect(asked).toEqual([`https://id.example${OAUTH}`]);
    expect(issuer.asked).toEqual([]);
  });

  test("uses `jwksUri` instead of discovery", async () => {
    issuer.answers.set("/mine?tenant=1", json({ keys: [second.jwk] }));
    const { show } = trust({ discover: true, jwksUri: `${issuer.url}/mine?tenant=1` });
    expect(await show(second)).toBe("ok");
    expect(issuer.asked).toEqual(["/mine?tenant=1"]);
  });
});
