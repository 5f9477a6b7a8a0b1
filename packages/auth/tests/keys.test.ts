import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type AuthorizationEvent,
  createAuthorization,
  type OAuthOptions,
  TOKEN_PROBLEMS,
} from "../src/index.js";
import { defaultKeys, metadataAddresses } from "../src/discovery.js";
import { systemPorts } from "@tenon/internal/ports";
import { type Answer, goodToken, type Issuer, json, KEYS_PATH, RESOURCE, startIssuer } from "./issuer.js";
import { createSigner, type Signer } from "./tokens.js";

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
    /** What comes of a token by this key: `ok`, or the status and the words of the refusal. */
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
const unavailable = "503 The access token cannot be checked at the moment";

describe("keys are fetched when they are needed, and seldom", () => {
  test("nothing is fetched before the first token, nor for one that is refused by its form", async () => {
    const { show } = trust();
    expect(issuer.asked).toEqual([]);
    await show({ ...first, alg: "HS256" });
    expect(issuer.asked).toEqual([]);
    expect(await show(first)).toBe("ok");
    expect(issuer.asked).toEqual([KEYS_PATH]);
  });

  test("a hundred tokens at once wait for one fetch", async () => {
    const { show } = trust();
    const results = await Promise.all(Array.from({ length: 100 }, () => show(first)));
    expect(new Set(results)).toEqual(new Set(["ok"]));
    expect(issuer.asked).toEqual([KEYS_PATH]);
  });

  test("T57: a flood of keys that do not exist causes one fetch for each cooldown", async () => {
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

  test("T57: an issuer that fails is not hammered either", async () => {
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

  test("a clock that was set back stops nothing", async () => {
    const { show } = trust();
    expect(await show(first)).toBe("ok");
    pass(-3_600_000);
    expect(await show(first)).toBe("ok");
  });
});

describe("keys change", () => {
  test("a new key is found, and an old one is forgotten when it is taken back", async () => {
    const { show } = trust();
    expect(await show(first)).toBe("ok");
    issuer.publish([first.jwk, second.jwk]);
    expect(await show(second)).toBe(unknownKey);
    pass(10_001);
    expect([await show(second), await show(first)]).toEqual(["ok", "ok"]);
    issuer.publish([second.jwk]);
    expect(await show(first)).toBe("ok");
    pass(600_000);
    expect([await show(first), await show(second)]).toEqual([unknownKey, "ok"]);
    expect(issuer.asked).toHaveLength(3);
  });

  test("an issuer that takes all its keys back is heard", async () => {
    const { show } = trust();
    expect(await show(first)).toBe("ok");
    issuer.publish([]);
    pass(600_000);
    expect(await show(first)).toBe(unknownKey);
  });

  test("old keys count for a day while the issuer is away", async () => {
    const { show } = trust();
    expect(await show(first)).toBe("ok");
    issuer.answers.clear();
    pass(3_600_000);
    expect([await show(first), await show(first)]).toEqual(["ok", "ok"]);
    expect(issuer.asked).toHaveLength(2);
    expect(await show(second)).toBe(unknownKey);
    pass(86_400_000);
    expect(await show(first)).toBe(unavailable);
  });
});

describe("answers are bounded and come from one place", () => {
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
    ["a page", () => (_, response) => response.writeHead(200).end("<html>")],
    ["a list", () => json([first.jwk])],
    ["no keys", () => json({})],
    ["keys as an object", () => json({ keys: { 0: first.jwk } })],
    ["101 keys", () => json({ keys: Array.from({ length: 101 }, () => first.jwk) })],
    ["too many bytes", () => json({ keys: [first.jwk], padding: "x".repeat(300_000) })],
    [
      "too many bytes after a false length",
      () => (_, response) => {
        response.writeHead(200, { "transfer-encoding": "chunked" });
        response.write(JSON.stringify({ keys: [first.jwk] }).slice(0, -1));
        response.end(`,"padding":"${"x".repeat(300_000)}"}`);
      },
    ],
    [
      "too deep",
      () => (_, response) =>
        response.writeHead(200).end(`{"keys":[],"x":${"[".repeat(90)}${"]".repeat(90)}}`),
    ],
    [
      "bytes that are no text",
      () => (_, response) => response.writeHead(200).end(Uint8Array.of(0x7b, 0xff, 0x7d)),
    ],
    [
      "half an answer",
      () => (_, response) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write("{");
        setTimeout(() => response.destroy(), 5);
      },
    ],
    ["a closed connection", () => (_, response) => response.destroy()],
  ];

  test.each(BAD)("T57: %s gives no keys", async (_name, answer) => {
    issuer.answers.set(KEYS_PATH, answer());
    const { show, events } = trust();
    expect(await show(first)).toBe(unavailable);
    expect(events[0]).toEqual({ type: "keys-failed" });
    expect(other.asked).toEqual([]);
  });

  test.each([
    ["never begins", (() => {}) satisfies Answer],
    ["never ends", ((_, response) => void response.writeHead(200).write("{")) satisfies Answer],
  ])("T57: an answer that %s is given up", async (_name, answer) => {
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

  test("a fetch that heeds no signal is given up too", async () => {
    const startTimer = (task: () => void) => systemPorts.startTimer(task, 10);
    const { show } = trust({ ports: { startTimer }, fetch: () => new Promise(() => {}) });
    expect(await show(first)).toBe(unavailable);
  });
});

describe("the issuer's metadata says where its keys are", () => {
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
  ])("%s is asked at every well-known place", (url, places) => {
    expect(metadataAddresses(url)).toEqual(places);
  });

  test("T41: without metadata the keys are under the issuer", () => {
    expect(defaultKeys("https://id.example/tenant/")).toBe("https://id.example/tenant/.well-known/jwks.json");
  });

  test.each([OAUTH, OIDC])("%s", async (path) => {
    issuer.answers.clear();
    issuer.answers.set(path, json(found())).set("/keys", json({ keys: [first.jwk] }));
    const { show } = trust({ discover: true });
    expect(await show(first)).toBe("ok");
    const places = path === OAUTH ? [OAUTH, "/keys"] : [OAUTH, OIDC, "/keys"];
    expect(issuer.asked).toEqual(places);
    pass(600_000);
    expect(await show(first)).toBe("ok");
    expect(issuer.asked).toEqual([...places, "/keys"]);
  });

  test("T41: an issuer without metadata has its keys at the default place", async () => {
    const { show } = trust({ discover: true });
    expect(await show(first)).toBe("ok");
    expect(issuer.asked).toEqual([OAUTH, OIDC, KEYS_PATH]);
  });

  test("an issuer that moved its keys is asked again", async () => {
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
    ["another issuer", () => ({ ...found(), issuer: "https://evil.example" })],
    ["its issuer with a slash", () => ({ ...found(), issuer: `${issuer.url}/` })],
    ["no issuer", () => ({ jwks_uri: `${issuer.url}/keys` })],
    ["no keys", () => ({ issuer: issuer.url })],
    ["keys without TLS", () => ({ ...found(), jwks_uri: "http://keys.example/keys" })],
    ["keys in a file", () => ({ ...found(), jwks_uri: "file:///etc/passwd" })],
    ["keys with a password", () => ({ ...found(), jwks_uri: issuer.url.replace("//", "//a:b@") })],
    ["keys as a list", () => ({ ...found(), jwks_uri: [`${issuer.url}/keys`] })],
  ])("T57: metadata with %s is not believed", async (_name, metadata) => {
    issuer.answers.set(OAUTH, json(metadata())).set("/keys", json({ keys: [first.jwk] }));
    const { show } = trust({ discover: true });
    expect(await show(first)).toBe(unavailable);
    expect(issuer.asked).toEqual([OAUTH]);
  });

  test("T57: an issuer over TLS cannot send us to this machine", async () => {
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

  test("keys may be told instead", async () => {
    issuer.answers.set("/mine?tenant=1", json({ keys: [second.jwk] }));
    const { show } = trust({ discover: true, jwksUri: `${issuer.url}/mine?tenant=1` });
    expect(await show(second)).toBe("ok");
    expect(issuer.asked).toEqual(["/mine?tenant=1"]);
  });
});
