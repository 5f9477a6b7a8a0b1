import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { type AgentPageServer, createAgentPage, serveAgentPage } from "../../src/page/index.js";
import type { AgentPageOptions } from "../../src/page/options.js";
import type { ServeAgentPageOptions } from "../../src/page/serve-agent-page.js";
import { isSignInUrl } from "../../src/page/page-config.js";
import type { StartOptions } from "../../src/socket/options.js";

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

interface Ask {
  readonly path?: string;
  readonly method?: string;
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Serves the page, and returns a function that sends any request, including those that a browser would not send. */
async function serve(options: AgentPageOptions = {}) {
  const http = createServer(createAgentPage(options));
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  const ask = ({ path = "/", method = "GET", host = `127.0.0.1:${port}`, headers = {} }: Ask = {}) =>
    new Promise<Answer>((resolve, reject) => {
      const sent = request(
        { port, host: "127.0.0.1", path, method, headers: { host, ...headers } },
        (response) => {
          let body = "";
          response.setEncoding("utf8");
          response.on("data", (piece: string) => (body += piece));
          response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, body }));
        },
      );
      sent.on("error", reject);
      sent.end();
    });
  return { port, ask };
}

describe("files of the page", () => {
  test.each([
    ["/", "text/html; charset=utf-8"],
    ["/app.js", "text/javascript; charset=utf-8"],
    ["/app.css", "text/css; charset=utf-8"],
    ["/icon.svg", "image/svg+xml"],
  ])("%s is served with its type and a strict security policy", async (path, type) => {
    const { port, ask } = await serve();
    const { status, headers, body } = await ask({ path });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": type,
      "content-length": String(new TextEncoder().encode(body).byteLength),
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "content-security-policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
        `media-src data: blob:; connect-src 'self' ws://127.0.0.1:${port} wss://127.0.0.1:${port}; ` +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    });
  });

  test("the document has no inline script or style", async () => {
    const { ask } = await serve();
    const { body } = await ask();
    expect(body).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
  });

  test.each([
    [{ path: "/?x=1" }, 200],
    [{ path: "/index.html" }, 404],
    [{ path: "/index.js" }, 404],
    [{ path: "/../package.json" }, 404],
    [{ path: "/%2e%2e/package.json" }, 404],
    [{ path: "/app.js/" }, 404],
    [{ method: "POST" }, 405],
    [{ method: "OPTIONS" }, 405],
    [{ host: "localhost:1" }, 200],
    [{ host: "[::1]:1" }, 200],
    [{ host: "evil.example" }, 403],
    [{ host: "127.0.0.1.evil.example" }, 403],
    [{ host: "localhost:80; script-src *" }, 403],
    [{ host: "localhost:99999" }, 403],
  ])("%j returns the status %i", async (options, status) => {
    const { ask } = await serve();
    const answer = await ask(options);
    expect(answer.status).toBe(status);
    expect(answer.headers["allow"]).toBe(status === 405 ? "GET, HEAD" : undefined);
    expect(answer.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(answer.headers["content-security-policy"]).not.toContain("script-src *");
  });

  test("HEAD has the headers of GET, and no body", async () => {
    const { ask } = await serve();
    const { headers, body } = await ask({ method: "HEAD" });
    expect(body).toBe("");
    expect(headers["content-length"]).toBe((await ask()).headers["content-length"]);
  });

  test("a browser with the current file does not load it again", async () => {
    const { ask } = await serve();
    const first = await ask({ path: "/app.js" });
    const etag = String(first.headers["etag"]);
    const again = await ask({ path: "/app.js", headers: { "if-none-match": etag } });
    expect([again.status, again.body]).toEqual([304, ""]);
    expect((await ask({ path: "/app.js", headers: { "if-none-match": '"other"' } })).status).toBe(200);
  });

  test("the page is available under the host names of its origins", async () => {
    const { ask } = await serve({ allowedOrigins: ["https://chat.example", "http://127.0.0.1:9"] });
    expect((await ask({ host: "chat.example" })).status).toBe(200);
    expect((await ask({ host: "CHAT.example:443" })).status).toBe(200);
    expect((await ask()).status).toBe(200);
    const rejected = await ask({ host: "other.example" });
    expect(rejected.status).toBe(403);
    expect(rejected.body).toContain("`allowedOrigins`");
    const { headers } = await ask({ host: "chat.example" });
    expect(headers["content-security-policy"]).toContain("'self' ws://chat.example wss://chat.example;");
  });

  test("a request with too many headers is rejected", async () => {
    const { ask } = await serve();
    const headers = Object.fromEntries(Array.from({ length: 1_100 }, (_, index) => [`x-${index}`, "1"]));
    expect((await ask({ headers })).status).toBe(431);
  });
});

describe("texts of the page", () => {
  test("are part of the document, and cannot leave their place", async () => {
    const hostile = `"><script>alert(1)</script>$&'`;
    const { ask } = await serve({ title: hostile, greeting: hostile, suggestions: [hostile], maxPayload: 5 });
    const { body } = await ask();
    expect(body).not.toContain("<script>alert");
    expect(body.match(/<script/g)?.length).toBe(1);
    const [, content = ""] = /<meta name="agent-page" content="([^"]*)"/.exec(body) ?? [];
    const entities = { "&quot;": '"', "&lt;": "<", "&gt;": ">", "&#39;": "'", "&amp;": "&" } as const;
    const text = content.replaceAll(
      /&(?:quot|lt|gt|#39|amp);/g,
      (one) => entities[one as keyof typeof entities],
    );
    expect(JSON.parse(text)).toEqual({
      title: hostile,
      greeting: hostile,
      suggestions: [hostile],
      maxMessageBytes: 5,
      needsToken: false,
      hasUsers: false,
    });
  });

  test.each([
    [{ title: "" }, 'createAgentPage: `title` must be a text of 1 to 100 characters; got "".'],
    [
      { greeting: "x".repeat(201) },
      "createAgentPage: `greeting` must be a text of 1 to 200 characters; got ",
    ],
    [{ suggestions: ["a", " "] }, "`suggestions` must be an array of at most 8 texts of 1 to 500 characters"],
    [{ suggestions: Array<string>(9).fill("a") }, "`suggestions` must be an array of at most 8 texts"],
    [
      { allowedOrigins: ["chat example"] },
      'createAgentPage: `allowedOrigins` must be an array of origins such as "https://app.example"',
    ],
    [
      { signInUrl: "login" },
      'createAgentPage: `signInUrl` must be a URL such as "https://app.example/login", or a path such as "/login"; got "login".',
    ],
    [{ signInUrl: "/login", needsToken: true }, "`signInUrl` and `needsToken` cannot be combined"],
  ])("%j is rejected", (options, text) => {
    expect(() => createAgentPage(options)).toThrow(text);
  });
});

describe("the place where users sign in", () => {
  test.each([
    "/",
    "/login?next=%2F#top",
    "https://app.example/login",
    "HTTP://localhost:3000",
    "https://bücher.example/",
  ])("can be %s", (signInUrl) => {
    expect(isSignInUrl(signInUrl)).toBe(true);
  });

  test.each([
    "",
    "login",
    "//evil.example/login",
    "/\\evil.example",
    "/\t/evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "https:evil.example",
    "https://",
    "https://ada:secret@app.example/",
    ` https://app.example/`,
    `/${"x".repeat(2_000)}`,
    1,
    null,
  ])("cannot be %j", (signInUrl) => {
    expect(isSignInUrl(signInUrl)).toBe(false);
  });
});

describe("serveAgentPage", () => {
  /** Server that only remembers how it was started. */
  function createServerStub(address = { host: "127.0.0.1", port: 7, url: "ws://127.0.0.1:7" }) {
    const calls: unknown[] = [];
    const server: AgentPageServer = {
      start: async (options?: StartOptions) => {
        calls.push(options);
        return address;
      },
      stop: async () => void calls.push("stop"),
    };
    return { server, calls };
  }

  test("starts the server with the page, and stops it", async () => {
    const { server, calls } = createServerStub();
    const served = await serveAgentPage(server, { port: 7, title: "Helper" });
    expect(served.url).toBe("http://127.0.0.1:7/");
    expect(served.address.url).toBe("ws://127.0.0.1:7");
    expect(calls).toEqual([
      { port: 7, maxPayload: 8_388_608, maxQueuedBytes: 16_777_216, http: expect.any(Function) as unknown },
    ]);
    await served.close();
    expect(calls[1]).toBe("stop");
  });

  test.each([
    [{}, { needsToken: false, hasUsers: false }],
    [{ token: "a-long-secret-token" }, { needsToken: true, hasUsers: true }],
    [{ users: { identify: () => undefined } }, { needsToken: true, hasUsers: true }],
    [{ users: { identify: () => undefined, cookie: "session" } }, { needsToken: false, hasUsers: true }],
    [
      { token: "a-long-secret-token", needsToken: false },
      { needsToken: false, hasUsers: true },
    ],
    [
      { users: { identify: () => undefined, cookie: "session" }, signInUrl: "/login" },
      { needsToken: false, hasUsers: true, signInUrl: "/login" },
    ],
    [
      { token: "a-long-secret-token", signInUrl: "/login" },
      { needsToken: false, hasUsers: true, signInUrl: "/login" },
    ],
  ] satisfies [ServeAgentPageOptions, object][])(
    "with %j, the page knows how users sign in: %j",
    async (options, facts) => {
      const { server, calls } = createServerStub();
      await serveAgentPage(server, options);
      const [{ http }] = calls as [{ http: (request: object, response: object) => void }];
      let document = "";
      const response = {
        writeHead: () => response,
        end: (bytes: Uint8Array) => (document = new TextDecoder().decode(bytes)),
      };
      http({ method: "GET", url: "/", headers: { host: "localhost" }, rawHeaders: [], socket: {} }, response);
      const [, content = ""] = /<meta name="agent-page" content="([^"]*)"/.exec(document) ?? [];
      const { needsToken, hasUsers, signInUrl } = JSON.parse(content.replaceAll("&quot;", '"')) as Record<
        string,
        unknown
      >;
      expect({ needsToken, hasUsers, ...(signInUrl !== undefined && { signInUrl }) }).toEqual(facts);
      expect(calls).not.toMatchObject([{ signInUrl: expect.anything() as unknown }]);
    },
  );

  test("options of the server are passed on", async () => {
    const { server, calls } = createServerStub();
    await serveAgentPage(server, { maxPayload: 99, token: "a-long-secret-token", host: "::1" });
    expect(calls).toMatchObject([{ maxPayload: 99, token: "a-long-secret-token", host: "::1" }]);
  });

  test.each([
    ["0.0.0.0", undefined, "http://localhost:7/"],
    ["::", ["https://chat.example"], "https://chat.example/"],
    ["::1", undefined, "http://[::1]:7/"],
  ])("a server on %s with the origins %j has the URL %s", async (host, allowedOrigins, url) => {
    const { server } = createServerStub({
      host,
      port: 7,
      url: host.includes(":") ? `ws://[${host}]:7` : `ws://${host}:7`,
    });
    expect((await serveAgentPage(server, allowedOrigins && { allowedOrigins })).url).toBe(url);
  });

  test("an invalid option is reported before the server starts", async () => {
    const { server, calls } = createServerStub();
    await expect(serveAgentPage(server, { title: "" })).rejects.toThrow("`title` must be a text");
    expect(calls).toEqual([]);
  });
});
