import { describe, expect, test } from "vitest";
import { createMemoryStore } from "tenon/stores";
import { defineServer } from "../../src/core/define-server.js";
import type { HttpOptions } from "../../src/transport/http/options.js";
import { readEvents } from "../../../../tests/support/http-events.js";
import { type Endpoint, FACES, FETCH, post, read } from "../../../../tests/support/http-faces.js";
import { initializeBody, type LegacyClient, openSession } from "../../../../tests/support/http-messages.js";

/** One principal must not close another principal's sessions, or lock it out. */

const createServer = () =>
  defineServer({ name: "limits", version: "1.0.0", log: () => undefined })
    .tool("echo", { handler: () => "hi" })
    .build();

const authenticate: NonNullable<HttpOptions<unknown>["authenticate"]> = ({ header }) => {
  const principal = header("x-user");
  return typeof principal === "string" ? { auth: { principal, scopes: [] } } : {};
};

const as = (user: string) => ({ "x-user": user });
const from = (...addresses: readonly string[]) => ({ "x-forwarded-for": addresses.join(", ") });
type Headers = Readonly<Record<string, string>>;

const openMany = async (endpoint: Endpoint, headers: Headers, count: number) => {
  const clients: LegacyClient[] = [];
  for (let number = 0; number < count; number++) clients.push(await openSession(endpoint, { headers }));
  return clients;
};

/** Returns the number of sessions that still exist. */
const countAlive = async (clients: readonly LegacyClient[]) => {
  const statuses = [];
  for (const client of clients) statuses.push((await client.call("echo")).status);
  return statuses.filter((status) => status === 200).length;
};

const refusal = (message: string) => ({
  status: 503,
  body: { jsonrpc: "2.0", id: null, error: { code: -32600, message } },
});

describe.each(FACES)("sessions of several principals on $name", (face) => {
  test("a principal that opens sessions without end replaces its own, never those of others", async () => {
    const sessions = { maxSessions: 8, maxSessionsPerPrincipal: 4 };
    const endpoint = await face.open(createServer(), { authenticate, sessions });
    const bobs = await openMany(endpoint, as("bob"), 2);
    const adas = await openMany(endpoint, as("ada"), 12);
    expect([await countAlive(bobs), await countAlive(adas)]).toEqual([2, 4]);
    expect(await countAlive(await openMany(endpoint, as("bob"), 2))).toBe(2);
    expect(await countAlive(bobs)).toBe(2);
  });

  test("a principal whose sessions are all in use is rejected with its limit, and others are not", async () => {
    const sessions = { maxSessions: 8, maxSessionsPerPrincipal: 2 };
    const endpoint = await face.open(createServer(), { authenticate, sessions });
    const adas = await openMany(endpoint, as("ada"), 2);
    const streams = await Promise.all(adas.map(async (ada) => readEvents(await ada.get())));
    const refused = await endpoint.fetch(post(initializeBody(), as("ada")));
    expect(refused.headers.get("retry-after")).toBe("10");
    expect(await read(refused)).toEqual(
      refusal(
        "Session limit per caller reached (2). Raise `maxSessionsPerPrincipal` or close idle sessions.",
      ),
    );
    expect(await countAlive(await openMany(endpoint, as("bob"), 2))).toBe(2);
    await Promise.all(streams.map((stream) => stream.cut()));
  });

  test("a principal that uses all places does not lock out another one", async () => {
    const endpoint = await face.open(createServer(), { authenticate, sessions: { maxSessions: 3 } });
    const adas = await openMany(endpoint, as("ada"), 3);
    const streams = await Promise.all(adas.map(async (ada) => readEvents(await ada.get())));
    const bobs = await openMany(endpoint, as("bob"), 1);
    expect([await countAlive(adas), await countAlive(bobs)]).toEqual([2, 1]);
    expect((await endpoint.fetch(post(initializeBody(), as("ada")))).status).toBe(503);
    await Promise.all(streams.map((stream) => stream.cut()));
  });

  test("behind a trusted proxy, the address of a caller without a principal has the limit", async () => {
    const sessions = { maxSessions: 8, maxSessionsPerPrincipal: 2 };
    const endpoint = await face.open(createServer(), { trustedProxies: 1, sessions });
    const others = await openMany(endpoint, from("203.0.113.9"), 2);
    // The proxy appends the real address. Everything before it comes from the client.
    const forged = [];
    for (const fake of ["203.0.113.9", "198.51.100.1", "nonsense", "10.0.0.1, 10.0.0.2"])
      forged.push(...(await openMany(endpoint, from(fake, "192.0.2.1"), 1)));
    expect([await countAlive(others), await countAlive(forged)]).toEqual([2, 2]);
    // All clients in one IPv6 network, and all with a malformed address, count as one.
    const network = [];
    for (const address of ["2001:db8::1", "[2001:db8::2]:5000", "2001:db8:0:0:9::1"])
      network.push(...(await openMany(endpoint, from(address), 1)));
    const unknown = [];
    for (const headers of [from("unknown"), {}, from("x".repeat(3_000))])
      unknown.push(...(await openMany(endpoint, headers, 1)));
    expect([await countAlive(network), await countAlive(unknown), await countAlive(others)]).toEqual([
      2, 2, 2,
    ]);
  });

  test("a principal counts as itself, whatever its address is", async () => {
    const sessions = { maxSessionsPerPrincipal: 2 };
    const endpoint = await face.open(createServer(), { authenticate, trustedProxies: 1, sessions });
    const adas = [];
    for (const address of ["192.0.2.1", "192.0.2.2", "192.0.2.3"])
      adas.push(...(await openMany(endpoint, { ...as("ada"), ...from(address) }, 1)));
    const bobs = await openMany(endpoint, { ...as("bob"), ...from("192.0.2.1") }, 2);
    expect([await countAlive(adas), await countAlive(bobs)]).toEqual([2, 2]);
  });

  test("without trusted proxies, the header has no effect, and only the limit for all sessions applies", async () => {
    const sessions = { maxSessions: 4, maxSessionsPerPrincipal: 1 };
    const endpoint = await face.open(createServer(), { sessions });
    const clients = [];
    for (const address of ["192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.3"])
      clients.push(...(await openMany(endpoint, from(address), 1)));
    expect(await countAlive(clients)).toBe(4);
    // The client that was idle longest makes room, although its address has the fewest sessions.
    await openMany(endpoint, from("192.0.2.1"), 1);
    expect((await clients[0]?.call("echo"))?.status).toBe(404);
  });
});

describe("sessions of several principals on several nodes", () => {
  const startNodes = async (sessions: HttpOptions<unknown>["sessions"], maxKeys: number) => {
    const store = createMemoryStore({ sessions: { maxKeys } });
    const options = {
      authenticate,
      store,
      trustedProxies: 1,
      ...(sessions === undefined ? {} : { sessions }),
    };
    return [await FETCH.open(createServer(), options), await FETCH.open(createServer(), options)] as const;
  };

  test("a principal replaces its own sessions on all nodes, never those of others", async () => {
    const [a, b] = await startNodes({ maxSessionsPerPrincipal: 4 }, 100);
    const bobs = await openMany(a, as("bob"), 2);
    const adas = [...(await openMany(a, as("ada"), 3)), ...(await openMany(b, as("ada"), 5))];
    const strangers = [
      ...(await openMany(a, from("192.0.2.1"), 3)),
      ...(await openMany(b, from("192.0.2.1"), 3)),
    ];
    expect([await countAlive(bobs), await countAlive(adas), await countAlive(strangers)]).toEqual([2, 4, 4]);
  });

  test("a principal that fills the store does not lock out another one", async () => {
    const [a, b] = await startNodes(undefined, 6);
    const bobs = await openMany(b, as("bob"), 1);
    const adas = await openMany(a, as("ada"), 20);
    bobs.push(...(await openMany(b, as("bob"), 2)));
    expect([await countAlive(bobs), await countAlive(adas)]).toEqual([3, 3]);
  });
});
