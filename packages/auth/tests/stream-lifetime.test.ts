import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AuthorizationEvent } from "../src/index.js";
import type { Auth } from "../../tenon/src/core/wire/exchange.js";
import type { JwtOptions } from "../src/options.js";
import { createAuthorization } from "../src/index.js";
import { TOKEN_PROBLEMS } from "../src/tokens/problems.js";
import { defineServer } from "tenon";
import { toFetch } from "tenon/fetch";
import { createClock } from "../../../tests/support/http-clock.js";
import { messagesOf, readEvents } from "../../../tests/support/http-events.js";
import { modernPost, openSession } from "../../../tests/support/http-messages.js";
import { type Door, openDoors } from "../../../tools/tokens/doors.js";
import { hmacToken } from "../../../tools/tokens/tokens.js";

const SECRET = "correct-horse-battery-staple-0123456789";

const newServer = () =>
  defineServer({ name: "streams", version: "1.0.0" })
    .tool("one", { handler: () => "" })
    .build();

const bearer = (claims: Readonly<Record<string, unknown>>) => {
  const payload = { client_id: "desk", sub: "ada", scope: "notes", jti: "first", ...claims };
  return { authorization: `Bearer ${hmacToken({ alg: "HS256" }, payload, SECRET)}` };
};

const listenAs = (headers: { readonly authorization: string }) =>
  modernPost("subscriptions/listen", { notifications: { toolsListChanged: true } }, { headers });

describe("a real token that expires soon", () => {
  const authorization = createAuthorization({ mode: "jwt", secretKey: SECRET, clockSkewSeconds: 0 });
  let doors: readonly Door[] = [];
  beforeAll(async () => {
    doors = await openDoors(newServer, authorization);
  });
  afterAll(async () => void (await Promise.all(doors.map((door) => door.close()))));

  test("ends `subscriptions/listen` and the session's stream at its expiry, not earlier", async () => {
    const exp = Math.ceil(Date.now() / 1_000) + 5;
    const headers = bearer({ exp });
    const streams = await Promise.all(
      doors.map(async (door) => {
        const client = await openSession(door, { headers });
        return [await door.fetch(listenAs(headers)), await client.get()];
      }),
    );
    for (const response of streams.flat()) {
      expect(response.headers.get("content-type")).toBe("text/event-stream");
      await readEvents(response).rest();
      expect(Date.now()).toBeGreaterThanOrEqual(exp * 1_000);
    }
    const late = await Promise.all(doors.map((door) => door.fetch(listenAs(headers))));
    expect(late.map(({ status }) => status)).toEqual([401, 401, 401]);
  }, 60_000);
});

/** Opens an endpoint with a fake clock. The clock of the tokens is the same. */
function setUp(options: Partial<JwtOptions> = {}) {
  const clock = createClock();
  const { ports } = clock;
  const events: AuthorizationEvent[] = [];
  const authorization = createAuthorization({
    mode: "jwt",
    secretKey: SECRET,
    ports,
    onEvent: (event) => void events.push(event),
    ...options,
  });
  const handler = toFetch(newServer(), { authorization, ports, keepAliveMs: 1_000_000 });
  const send = (init: RequestInit) => handler(new Request("http://localhost/mcp", init));
  return { clock, events, send };
}

/** Opens a stream, and returns a function that reads the number of its remaining messages. */
async function openStream(response: Response) {
  const events = readEvents(response);
  await events.message();
  let isOver = false;
  const rest = events.rest().then((all) => {
    isOver = true;
    return messagesOf(all);
  });
  return { rest, isOver: () => isOver };
}

describe("the expiry of a stream", () => {
  test.each<readonly [string, Partial<JwtOptions>, Readonly<Record<string, unknown>>, number]>([
    ["the default clock skew", {}, { exp: 100 }, 105_000],
    ["a different clock skew", { clockSkewSeconds: 60 }, { exp: 100 }, 160_000],
    ["a maximum age", { maxTokenAgeSeconds: 30, clockSkewSeconds: 0 }, { exp: 100, iat: 0 }, 30_000],
  ])("respects %s, with a new token and with a cached one", async (_title, options, claims, end) => {
    const { clock, send } = setUp(options);
    const headers = bearer(claims);
    const streams = [
      await openStream(await send(listenAs(headers))),
      await openStream(await send(listenAs(headers))),
    ];
    clock.advance(end - 1);
    await new Promise(setImmediate);
    expect(streams.map((stream) => stream.isOver())).toEqual([false, false]);
    clock.advance(1);
    for (const { rest } of streams)
      expect(await rest).toMatchObject([{ result: { resultType: "complete" } }]);
    clock.advance(1);
    expect((await send(listenAs(headers))).status).toBe(401);
  });
});

describe("the `revocation` option", () => {
  const EXP = { exp: 1_000 };

  test("ends streams when its signal aborts, and rejects later requests with 401", async () => {
    const controller = new AbortController();
    const { events, send } = setUp({ revocation: () => controller.signal });
    const stream = await openStream(await send(listenAs(bearer(EXP))));
    controller.abort();
    expect(await stream.rest).toMatchObject([{ result: { resultType: "complete" } }]);
    const response = await send(listenAs(bearer(EXP)));
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([
      401,
      `Bearer error="invalid_token", error_description="${TOKEN_PROBLEMS.revoked}"`,
    ]);
    expect(events).toEqual([{ type: "refused", reason: "revoked" }]);
  });

  test("receives the caller and the frozen claims of every request, also of cached tokens", async () => {
    const seen: { readonly auth: Auth; readonly claims: Readonly<Record<string, unknown>> }[] = [];
    const { send } = setUp({
      revocation: async (auth, claims) => {
        seen.push({ auth, claims });
        return undefined;
      },
    });
    const init = modernPost("tools/list", {}, { headers: bearer({ ...EXP, act: { sub: "proxy" } }) });
    expect((await send(init)).status).toBe(200);
    expect((await send(init)).status).toBe(200);
    expect(seen).toHaveLength(2);
    for (const { auth, claims } of seen) {
      expect(auth).toMatchObject({ subject: "ada", clientId: "desk" });
      expect(claims).toMatchObject({ jti: "first", act: { sub: "proxy" } });
      expect([Object.isFrozen(claims), Object.isFrozen(claims["act"])]).toEqual([true, true]);
    }
  });

  test("affects only the tokens that its signal belongs to", async () => {
    const controllers = new Map([
      ["first", new AbortController()],
      ["second", new AbortController()],
    ]);
    const { send } = setUp({ revocation: (_, { jti }) => controllers.get(String(jti))?.signal });
    const first = await openStream(await send(listenAs(bearer(EXP))));
    const second = await openStream(await send(listenAs(bearer({ ...EXP, jti: "second" }))));
    controllers.get("first")?.abort();
    await first.rest;
    await new Promise(setImmediate);
    expect(second.isOver()).toBe(false);
    controllers.get("second")?.abort();
    await second.rest;
  });

  test.each([true, false, null, "no"])("fails the request if the function returns %j", async (value) => {
    const { events, send } = setUp({ revocation: (() => value) as never });
    const response = await send(modernPost("tools/list", {}, { headers: bearer(EXP) }));
    expect(response.status).toBe(500);
    expect(events).toMatchObject([{ type: "failed", error: { name: "TypeError" } }]);
  });

  test("fails the request if the function throws", async () => {
    const error = new Error("database");
    const { events, send } = setUp({ revocation: () => Promise.reject(error) });
    const response = await send(modernPost("tools/list", {}, { headers: bearer(EXP) }));
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("database");
    expect(events).toEqual([{ type: "failed", error }]);
  });

  test("must be a function", () => {
    expect(() => setUp({ revocation: "no" as never })).toThrow('`revocation` must be a function; got "no".');
    expect(() => setUp({ isRevoked: () => true } as object)).toThrow(
      "Unknown option `isRevoked`. Did you mean `revocation`?",
    );
  });
});
