import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import {
  type Client,
  type ClientAuthorization,
  createClient,
  type RemoteClientOptions,
} from "../../src/client/index.js";
import { defineServer, form } from "../../src/index.js";
import { LATEST_LEGACY, MODERN_REVISIONS, type Revision } from "../../src/protocol/index.js";
import { tasks } from "../../src/tasks/index.js";
import { toNodeHandler } from "../../src/transport/node/index.js";

const REVISIONS: readonly Revision[] = [LATEST_LEGACY, ...MODERN_REVISIONS];

function createShop() {
  return defineServer({ name: "shop", version: "1.0.0", instructions: "Sells pizza." })
    .tool("add", {
      input: z.object({ a: z.number(), b: z.number() }),
      output: z.object({ sum: z.number() }),
      handler: ({ a, b }) => ({ sum: a + b }),
    })
    .tool("order", {
      input: z.object({ pizza: z.string() }),
      async handler({ pizza }, call) {
        await call.progress(1, 2, "asking");
        const schema = z.object({ street: z.string(), floor: z.number().default(3) });
        const answer = await call.input("where", form({ message: "Where to?", schema }));
        return answer.action === "accept"
          ? `${pizza} to ${answer.content.street} ${answer.content.floor}`
          : "nothing";
      },
    })
    .tool("wait", {
      handler: (_args, call) =>
        new Promise((_resolve, reject) =>
          call.signal.addEventListener("abort", () => reject(call.signal.reason)),
        ),
    })
    .resource("menu", { uri: "shop://menu", handler: () => "margherita" })
    .prompt("greet", { arguments: z.object({ name: z.string() }), handler: ({ name }) => `Hello ${name}` });
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Serves a listener on a port, which can be the same as before. */
async function listen(
  listener: Listener,
  port = 0,
): Promise<{ readonly url: string; readonly http: Server; readonly port: number }> {
  const http = createServer(listener);
  http.listen(port, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => stop(http));
  const { port: own } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${own}/mcp`, http, port: own };
}

async function stop(http: Server): Promise<void> {
  http.closeAllConnections();
  if (http.listening) await new Promise((resolve) => http.close(resolve));
}

function closing(client: Client): Client {
  onTestFinished(() => client.close());
  return client;
}

describe.each(REVISIONS)("a client over HTTP in %s", (revision) => {
  const connect = async (options: RemoteClientOptions = {}) => {
    const { url } = await listen(toNodeHandler(createShop()));
    return closing(await createClient(url, { revision, ...options }));
  };

  test("uses tools, resources, and prompts", async () => {
    const client = await connect();
    expect(client.revision).toBe(revision);
    expect(client.serverInfo).toMatchObject({ name: "shop", version: "1.0.0" });
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["add", "order", "wait"]);
    expect(await client.callTool("add", { a: 1, b: 2 })).toMatchObject({ structuredContent: { sum: 3 } });
    expect((await client.listResources()).map(({ uri }) => uri)).toEqual(["shop://menu"]);
    expect(await client.readResource("shop://menu")).toMatchObject({ contents: [{ text: "margherita" }] });
    expect(await client.getPrompt("greet", { name: "Ada" })).toMatchObject({
      messages: [{ content: { text: "Hello Ada" } }],
    });
  });

  test("answers questions, fills in defaults, and reports progress", async () => {
    const asked: unknown[] = [];
    const client = await connect({
      input: (params) => {
        asked.push(params["message"]);
        return { action: "accept", content: { street: "Main St" } };
      },
    });
    const onProgress = vi.fn();
    const result = await client.callTool("order", { pizza: "margherita" }, { onProgress });
    expect(result.content).toEqual([{ type: "text", text: "margherita to Main St 3" }]);
    expect(asked).toEqual(["Where to?"]);
    expect(onProgress).toHaveBeenCalledWith({ progress: 1, total: 2, message: "asking" });
  });

  test("cancels a call", async () => {
    const client = await connect();
    const controller = new AbortController();
    const call = client.callTool("wait", {}, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error("enough")), 50);
    await expect(call).rejects.toThrow("enough");
    await expect(client.callTool("wait", {}, { timeoutMs: 50 })).rejects.toMatchObject({
      name: "ConnectionError",
      code: "timeout",
      message: "The server did not respond to tools/call within 0.05 s.",
    });
    expect(await client.callTool("add", { a: 1, b: 1 })).toMatchObject({ structuredContent: { sum: 2 } });
  });

  test("continues after the server was restarted", async () => {
    const { url, http, port } = await listen(toNodeHandler(createShop()));
    const client = closing(await createClient(url, { revision }));
    await client.callTool("add", { a: 1, b: 2 });
    await stop(http);
    const later = client.listTools();
    await listen(toNodeHandler(createShop()), port);
    expect(await later).toHaveLength(3);
    expect(await client.callTool("add", { a: 2, b: 3 })).toMatchObject({ structuredContent: { sum: 5 } });
  });

  test("rejects requests after `close`", async () => {
    const client = await connect();
    const call = expect(client.callTool("wait")).rejects.toMatchObject({ code: "closed" });
    await client.close();
    await call;
    await expect(client.listTools()).rejects.toThrow(
      "The client is closed. Create a new one with `createClient`.",
    );
  });
});

describe("negotiation", () => {
  test("uses the newest revision that both sides support", async () => {
    const { url } = await listen(toNodeHandler(createShop()));
    expect(closing(await createClient(url)).revision).toBe(MODERN_REVISIONS.at(-1));
  });

  test("falls back to `initialize` for a server that does not know stateless requests", async () => {
    const handler = toNodeHandler(createShop());
    const { url } = await listen((request, response) => {
      if (request.headers["mcp-method"] === "server/discover") response.writeHead(400).end("unknown header");
      else handler(request, response);
    });
    const client = closing(await createClient(url));
    expect(client.revision).toBe(LATEST_LEGACY);
    expect(await client.callTool("add", { a: 1, b: 2 })).toMatchObject({ structuredContent: { sum: 3 } });
  });

  test("repeats the request with a revision that the server supports", async () => {
    const handler = toNodeHandler(createShop());
    let rejections = 0;
    const { url } = await listen((request, response) => {
      if (rejections++ > 0) return handler(request, response);
      const data = { supported: MODERN_REVISIONS, requested: "x" };
      const error = { code: -32022, message: "Unsupported protocol version", data };
      return void response
        .writeHead(400, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id: 1, error }));
    });
    expect(closing(await createClient(url)).revision).toBe(MODERN_REVISIONS.at(-1));
  });
});

test("follows tasks by default", async () => {
  const server = defineServer({ name: "jobs", version: "1" })
    .extension(tasks())
    .tool("report", {
      task: "optional",
      input: z.object({ year: z.number() }),
      handler: ({ year }) => `Report ${year}`,
    });
  const { url } = await listen(toNodeHandler(server));
  const client = closing(await createClient(url));
  expect(await client.callTool("report", { year: 2026 })).toMatchObject({
    content: [{ type: "text", text: "Report 2026" }],
  });
  const task = await client.startTask("report", { year: 2027 });
  expect(await task.result()).toMatchObject({ content: [{ text: "Report 2027" }] });
});

test("learns the headers of a tool that was not listed", async () => {
  const server = defineServer({ name: "regions", version: "1" }).tool("where", {
    input: z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) }),
    handler: ({ region }) => region,
  });
  const seen: (string | undefined)[] = [];
  const handler = toNodeHandler(server);
  const { url } = await listen((request, response) => {
    if (request.headers["mcp-method"] === "tools/call")
      seen.push(request.headers["mcp-param-region"] as string);
    handler(request, response);
  });
  const client = closing(await createClient(url));
  for (const region of ["eu-west", "größer"])
    expect(await client.callTool("where", { region })).toMatchObject({ content: [{ text: region }] });
  expect(seen).toEqual([undefined, "eu-west", "=?base64?Z3LDtsOfZXI=?="]);
});

describe("change notifications", () => {
  test("arrive in sessions and in listening streams, also after a restart", async () => {
    for (const revision of REVISIONS) {
      const server = createShop().build();
      const { url, http, port } = await listen(toNodeHandler(server));
      const heard = vi.fn();
      const client = closing(
        await createClient(url, { revision, onNotification: ({ method }) => heard(method) }),
      );
      const isModern = revision !== LATEST_LEGACY;
      const { ended, stop: stopListening } = isModern
        ? client.listen({ toolsListChanged: true })
        : { ended: Promise.resolve(undefined), stop: () => undefined };
      const change = (on: typeof server, name: string) =>
        on.update((plan) => plan.tool(name, { handler: () => "new" }));
      await vi.waitFor(() => {
        change(server, `new-${Math.random()}`);
        expect(heard).toHaveBeenCalledWith("notifications/tools/list_changed");
      });
      if (isModern) {
        await stop(http);
        heard.mockClear();
        const next = createShop().build();
        await listen(toNodeHandler(next), port);
        await vi.waitFor(() => {
          change(next, `new-${Math.random()}`);
          expect(heard).toHaveBeenCalledWith("notifications/tools/list_changed");
        });
      }
      stopListening();
      expect(await ended).toBeUndefined();
    }
  });
});

describe("access tokens", () => {
  /** A server that accepts one token, and asks for a scope on calls. */
  const protect = (isValid: (token: string) => boolean, hasScope: (token: string) => boolean): Listener => {
    const handler = toNodeHandler(createShop());
    return (request, response) => {
      const token = request.headers.authorization?.slice("Bearer ".length) ?? "";
      const isCall = request.headers["mcp-method"] === "tools/call";
      if (!isValid(token))
        return void response.writeHead(401, { "www-authenticate": 'Bearer resource_metadata="x"' }).end();
      if (isCall && !hasScope(token)) {
        const challenge = 'Bearer error="insufficient_scope", scope="shop:order"';
        return void response.writeHead(403, { "www-authenticate": challenge }).end();
      }
      return handler(request, response);
    };
  };

  test("are renewed when the server rejects them or asks for a scope", async () => {
    const { url } = await listen(
      protect(
        (token) => token === "second" || token === "third",
        (token) => token === "third",
      ),
    );
    const tokens = ["second", "third"];
    let current: string | undefined;
    const challenges: unknown[] = [];
    const authorization: ClientAuthorization = {
      token: () => current,
      renew: async ({ status, header, token }) => {
        challenges.push([status, header, token]);
        current = tokens.shift();
        return current !== undefined;
      },
    };
    const client = closing(await createClient(url, { authorization }));
    expect(await client.callTool("add", { a: 1, b: 2 })).toMatchObject({ structuredContent: { sum: 3 } });
    expect(challenges).toEqual([
      [401, 'Bearer resource_metadata="x"', undefined],
      [403, 'Bearer error="insufficient_scope", scope="shop:order"', "second"],
    ]);
  });

  test("can take longer to renew than a request may take", async () => {
    const { url } = await listen(
      protect(
        (token) => token === "new",
        () => true,
      ),
    );
    let current: string | undefined;
    const renew: ClientAuthorization["renew"] = async () => {
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      current = "new";
      return true;
    };
    const client = closing(
      await createClient(url, { timeoutMs: 2_000, authorization: { token: () => current, renew } }),
    );
    expect(await client.callTool("add", { a: 1, b: 2 })).toMatchObject({ structuredContent: { sum: 3 } });
  });

  test("are not renewed forever", async () => {
    const { url } = await listen(
      protect(
        () => false,
        () => true,
      ),
    );
    const renew = vi.fn(async () => true);
    const client = createClient(url, { authorization: { token: () => "wrong", renew } });
    await expect(client).rejects.toMatchObject({
      name: "ConnectionError",
      code: "unauthorized",
      status: 401,
    });
    expect(renew).toHaveBeenCalledTimes(3);
  });

  test("require https, except on this machine", async () => {
    const authorization: ClientAuthorization = { token: () => "t", renew: async () => false };
    await expect(createClient("http://example.com/mcp", { authorization })).rejects.toThrow(
      "`authorization` requires an https URL, unless the server runs on this machine.",
    );
    await expect(createClient("https://user:secret@example.com/mcp")).rejects.toThrow(
      "The server's URL must not contain a user name or password.",
    );
  });
});

test.each<[unknown, object, string]>([
  ["not a url", {}, "the server's URL is not valid"],
  ["ftp://example.com/mcp", {}, "must start with http:// or https://; got ftp:"],
  [{ command: "" }, {}, "`command` must be the name of a program"],
  [{ command: "node" }, { headers: {} }, "`headers` requires an HTTP server"],
  ["http://127.0.0.1:1/mcp", { auth: {} }, "unknown option `auth`. Did you mean `authorization`?"],
  ["http://127.0.0.1:1/mcp", { revision: "latst" }, '`revision` must be "2024-11-05", '],
  [
    "http://127.0.0.1:1/mcp",
    { timeoutMs: 0 },
    "`timeoutMs` must be a number of milliseconds greater than 0; got 0.",
  ],
  [7, {}, "Expected a server or a builder from `defineServer`; got a number."],
])("rejects the server %j with options %j", async (server, options, problem) => {
  await expect(createClient(server as string, options)).rejects.toThrow(problem);
});
