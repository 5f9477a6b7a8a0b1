import dns from "node:dns";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { BLOCKED_DESTINATION, createGuardedFetch, type GuardOptions } from "../src/outgoing/guarded-fetch.js";
import { findNodeNetwork, type NodeNetwork, type PinnedRequest } from "../src/outgoing/node-network.js";
import { systemPorts } from "../src/ports.js";

const REMOTE = "https://id.example.com";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

function createGuard(options: Partial<GuardOptions> = {}) {
  return createGuardedFetch({
    configured: REMOTE,
    timeoutMs: 60_000,
    maxBytes: 1_000,
    ports: systemPorts,
    ...options,
  });
}

async function startServer(answer: RequestListener) {
  const requests: IncomingMessage[] = [];
  const open = new Set<Socket>();
  // After an aborted request, `fetch` opens another connection for later ones, which does not count.
  const http = createServer((request, response) => {
    requests.push(request);
    open.add(request.socket);
    request.socket.once("close", () => open.delete(request.socket));
    answer(request, response);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => {
    http.close();
    http.closeAllConnections();
  });
  const { port } = http.address() as AddressInfo; // listening on a port
  return { url: `http://127.0.0.1:${port}`, port, requests, open };
}

/** A network whose resolver returns each list of addresses once, and which only records requests. */
function createFakeNetwork(...lists: readonly (readonly string[])[]) {
  const sent: PinnedRequest[] = [];
  const resolved: string[] = [];
  const network: NodeNetwork = {
    async resolve(hostname) {
      resolved.push(hostname);
      return (lists[resolved.length - 1] ?? []).map((address) => ({
        address,
        family: address.includes(":") ? 6 : 4,
      }));
    },
    async send(request) {
      sent.push(request);
      return { status: 200, headers: new Headers(), body: null };
    },
  };
  return { sent, resolved, findNetwork: () => network };
}

const nodeNetwork = (): NodeNetwork => {
  const network = findNodeNetwork();
  if (network === undefined) throw new Error("The tests must run on Node.js.");
  return network;
};

describe("on Node.js", () => {
  test("connects to the addresses that were checked, even if the name resolves differently later", async () => {
    const fake = createFakeNetwork(["1.1.1.1", "2606:4700:4700::1111"], ["127.0.0.1"]);
    const guard = createGuard(fake);
    expect((await guard(`${REMOTE}/keys`, {})).status).toBe(200);
    expect(fake.resolved).toEqual(["id.example.com"]);
    expect(fake.sent.map(({ addresses }) => addresses)).toEqual([
      [
        { address: "1.1.1.1", family: 4 },
        { address: "2606:4700:4700::1111", family: 6 },
      ],
    ]);
    await expect(guard(`${REMOTE}/keys`, {})).rejects.toMatchObject({ code: BLOCKED_DESTINATION });
    expect(fake.sent).toHaveLength(1);
  });

  test("a request reaches the given address, without a resolver and with the host name", async () => {
    const { port, requests } = await startServer((_, response) => response.end("reached"));
    const lookup = vi.spyOn(dns, "lookup");
    const { status, body } = await nodeNetwork().send({
      url: `http://rebind.example:${port}/keys?a=1`,
      init: {},
      addresses: [{ address: "127.0.0.1", family: 4 }],
      signal: new AbortController().signal,
    });
    expect(status).toBe(200);
    for await (const chunk of body ?? []) expect(String(chunk)).toBe("reached");
    expect(requests.map(({ url, headers }) => [url, headers.host])).toEqual([
      ["/keys?a=1", `rebind.example:${port}`],
    ]);
    expect(lookup).not.toHaveBeenCalled();
  });

  test.each([
    ["a loopback address", ["127.0.0.1"], "a loopback address"],
    ["a second address that is private", ["1.1.1.1", "10.0.0.5"], "a private address"],
    ["an IPv4-mapped address", ["::ffff:169.254.169.254"], "a cloud-metadata address"],
    ["an address with a zone", ["fe80::1%eth0"], "a link-local address"],
  ])("rejects a name with %s", async (_name, addresses, kind) => {
    const fake = createFakeNetwork(addresses);
    const error: unknown = await createGuard(fake)(`${REMOTE}/`, {}).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain(`The request was not sent, because the host is ${kind}`);
    expect(String(error)).not.toContain("example");
    expect(fake.sent).toEqual([]);
  });

  test("rejects a name without addresses", async () => {
    await expect(createGuard(createFakeNetwork([]))(`${REMOTE}/`, {})).rejects.toThrow(
      "The request was not sent, because the host has no address.",
    );
  });

  test("does not resolve addresses, and rejects forbidden ones before it starts a timer", async () => {
    const fake = createFakeNetwork();
    const startTimer = vi.fn(systemPorts.startTimer);
    const guard = createGuard({ ...fake, ports: { startTimer } });
    await expect(guard("https://169.254.169.254/", {})).rejects.toMatchObject({ code: BLOCKED_DESTINATION });
    expect(startTimer).not.toHaveBeenCalled();
    expect((await guard("https://1.1.1.1/", {})).status).toBe(200);
    expect(fake.resolved).toEqual([]);
  });

  test("`localhost` works if it is configured", async () => {
    const { port } = await startServer((_, response) => response.end("here"));
    const url = `http://localhost:${port}`;
    expect(await (await createGuard({ configured: url })(url, {})).text()).toBe("here");
  });

  test("does not use the global fetch", async () => {
    const { url } = await startServer((_, response) => response.end());
    const spy = vi.spyOn(globalThis, "fetch");
    await createGuard({ configured: url })(url, {});
    expect(spy).not.toHaveBeenCalled();
  });

  test("sends the method, headers, and body, as fetch does", async () => {
    let body = "";
    const { url, requests } = await startServer((request, response) => {
      request.on("data", (chunk) => (body += String(chunk)));
      request.on("end", () => response.end());
    });
    await createGuard({ configured: url })(`${url}/token`, {
      method: "POST",
      headers: { authorization: "Bearer a" },
      body: new URLSearchParams({ a: "1", b: "ü" }),
    });
    expect(requests[0]).toMatchObject({ method: "POST", url: "/token" });
    expect(requests[0]?.headers).toMatchObject({
      authorization: "Bearer a",
      "content-type": "application/x-www-form-urlencoded;charset=UTF-8",
      "content-length": "12",
      "accept-encoding": "identity",
      "user-agent": "tenon",
    });
    expect(body).toBe("a=1&b=%C3%BC");
  });

  test("returns the status, headers, and body", async () => {
    const { url } = await startServer((_, response) =>
      response.writeHead(404, { "set-cookie": ["a=1", "b=2"], "x-a": "y" }).end('{"error":"none"}'),
    );
    const response = await createGuard({ configured: url })(url, {});
    expect([response.status, response.headers.get("x-a"), response.headers.getSetCookie()]).toEqual([
      404,
      "y",
      ["a=1", "b=2"],
    ]);
    expect(await response.json()).toEqual({ error: "none" });
  });
});

/** The rules that hold in every runtime: with Node's network, with the global `fetch`, and with the user's. */
const WAYS: readonly (readonly [string, Partial<GuardOptions>])[] = [
  ["Node's network", {}],
  ["the global fetch", { findNetwork: () => undefined }],
  ["the user's fetch", { fetch: (url, init) => fetch(url, init) }],
];

describe.each(WAYS)("with %s", (_name, way) => {
  const guardOf = (url: string, options: Partial<GuardOptions> = {}) =>
    createGuard({ ...way, configured: url, ...options });

  test("does not follow redirects", async () => {
    const other = await startServer((_, response) => response.end());
    const { url } = await startServer((_, response) =>
      response.writeHead(302, { location: other.url }).end(),
    );
    expect((await guardOf(url)(url, {})).status).toBe(302);
    expect(other.requests).toEqual([]);
  });

  test.each([
    ["a known length", {}],
    ["chunks", { "transfer-encoding": "chunked" }],
  ])("limits a body with %s", async (_kind, headers) => {
    const { url } = await startServer((_, response) =>
      response.writeHead(200, headers).end("x".repeat(1_001)),
    );
    await expect(guardOf(url)(url, {})).rejects.toThrow(
      "The response body is too large (limit: 1000 bytes).",
    );
    expect(await (await guardOf(url, { maxBytes: 1_001 })(url, {})).text()).toHaveLength(1_001);
  });

  test("stops an endless body", async () => {
    const { url, open } = await startServer((_request, response) => {
      const write = () => {
        while (!response.destroyed && response.write("x".repeat(10_000)));
      };
      response.on("drain", write);
      write();
    });
    await expect(guardOf(url)(url, {})).rejects.toThrow("too large");
    await expect.poll(() => open.size).toBe(0);
  });

  test.each([
    ["never begins", () => undefined],
    ["never ends", (_, response) => void response.writeHead(200).write("{")],
  ] satisfies readonly (readonly [string, RequestListener])[])(
    "a response that %s times out, and its connection is closed",
    async (_kind, answer) => {
      const { url, open } = await startServer(answer);
      const startTimer = (task: () => void) => systemPorts.startTimer(task, 100);
      await expect(guardOf(url, { timeoutMs: 5_000, ports: { startTimer } })(url, {})).rejects.toThrow(
        "The server did not respond within 5000 ms.",
      );
      await expect.poll(() => open.size).toBe(0);
    },
  );

  test("stops its timer after the response", async () => {
    const { url } = await startServer((_, response) => response.end());
    const stop = vi.fn();
    await guardOf(url, { ports: { startTimer: () => stop } })(url, {});
    expect(stop).toHaveBeenCalledTimes(1);
  });

  test.each([
    ["a closed connection", ((_, response) => response.destroy()) satisfies RequestListener],
    [
      "a truncated body",
      ((_, response) => {
        response.writeHead(200, { "content-length": "100" });
        response.write("{", () => response.destroy());
      }) satisfies RequestListener,
    ],
  ])("reports %s without text from the server", async (_kind, answer) => {
    const { url } = await startServer(answer);
    await expect(guardOf(url)(url, {})).rejects.toThrow(/^The server could not be reached( \([A-Z_]+\))?\.$/);
  });

  test("rejects a remote URL's way to this machine", async () => {
    const { url, requests } = await startServer((_, response) => response.end());
    const guard = guardOf(REMOTE);
    for (const target of [url, url.replace("http:", "https:"), url.replace("127.0.0.1", "localhost")])
      await expect(guard(target, {})).rejects.toMatchObject({ code: BLOCKED_DESTINATION });
    expect(requests).toEqual([]);
  });
});

describe("outside Node.js", () => {
  const real = process;
  const getBuiltinModule = (name: string) => real.getBuiltinModule(name);
  const stubVersions = (versions: Readonly<Record<string, string>>) =>
    vi.stubGlobal("process", { versions, getBuiltinModule });

  test.each<readonly [string, () => void]>([
    ["without `process`", () => vi.stubGlobal("process", undefined)],
    ["without `getBuiltinModule`", () => vi.stubGlobal("process", { versions: { node: "20.0.0" } })],
    ["in Bun", () => stubVersions({ node: "22.0.0", bun: "1.3.0" })],
    ["in Deno", () => stubVersions({ node: "22.0.0", deno: "2.0.0" })],
    ["in Workers", () => vi.stubGlobal("WebSocketPair", () => undefined)],
  ])("the network of Node.js is not used %s", (_name, stub) => {
    expect(findNodeNetwork()).toBeDefined();
    stub();
    expect(findNodeNetwork()).toBeUndefined();
  });
});
