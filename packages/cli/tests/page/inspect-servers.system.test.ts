import type { RequestListener } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Era } from "tenon/protocol";
import { startRealServers } from "../../../oauth/tests/support/client-auth/real-servers.js";
import type { CallDetail, ConnectionState, WireEntry } from "../../src/page/protocol.js";
import { serveHttp, textOf } from "../support/page/inspected.js";
import { PageClient } from "../support/page/page-client.js";
import { createListener as createMcpLite } from "../support/page/servers/mcp-lite.js";
import { compilePrograms, type ProgramName, type Programs } from "../support/page/servers/programs.js";
import { createListener as createSdkV1 } from "../support/page/servers/sdk-v1.js";
import { createListener as createSdkV2 } from "../support/page/servers/sdk-v2.js";
import { signInAs } from "../support/page/sign-in-as.js";
import { startInspect, stopInspect } from "../support/page/start-inspect.js";

let programs: Programs;
beforeAll(() => {
  programs = compilePrograms();
});
afterAll(() => programs.remove());

interface Case {
  readonly title: string;
  /** Name of the server. */
  readonly name: string;
  readonly listener?: () => RequestListener;
  readonly program?: ProgramName;
  readonly eras: readonly Era[];
}

const CASES: readonly Case[] = [
  { title: "the official SDK v1 over HTTP", name: "sdk-v1", listener: createSdkV1, eras: ["legacy"] },
  { title: "the official SDK v1 over stdio", name: "sdk-v1", program: "sdk-v1-stdio", eras: ["legacy"] },
  {
    title: "the official SDK v2 over HTTP",
    name: "sdk-v2",
    listener: createSdkV2,
    eras: ["legacy", "modern"],
  },
  {
    title: "the official SDK v2 over stdio",
    name: "sdk-v2",
    program: "sdk-v2-stdio",
    eras: ["legacy", "modern"],
  },
  {
    title: "mcp-lite with sessions over HTTP",
    name: "mcp-lite",
    listener: () => createMcpLite({ hasSessions: true }),
    eras: ["legacy"],
  },
  {
    title: "mcp-lite without sessions over HTTP",
    name: "mcp-lite",
    listener: () => createMcpLite({ hasSessions: false }),
    eras: ["legacy"],
  },
  { title: "tmcp over stdio", name: "tmcp", program: "tmcp-stdio", eras: ["legacy", "modern"] },
];

describe("tenon inspect", () => {
  test.each(CASES)("calls a tool of $title", async ({ name, listener, program, eras }) => {
    const args =
      program === undefined
        ? [`${await serveHttp(listener?.() ?? (() => undefined))}/mcp`]
        : ["--", process.execPath, programs.fileOf(program)];
    const { child, url, stderr } = await startInspect(args);
    const page = await PageClient.open(url);
    const { revisions } = await page.connected((state) => hasEras(state, eras));
    expect(Object.keys(revisions).toSorted()).toEqual(eras.toSorted());
    const server = await page.server(({ tools }) => tools.length > 0);
    expect(server.name).toBe(name);
    expect(server.tools.map(({ definition }) => definition)).toMatchObject([
      { name: "add", description: "Adds two numbers", inputSchema: { required: ["a", "b"] } },
    ]);
    for (const era of eras) {
      const detail = await callAdd(page, era);
      expect(detail.summary).toMatchObject({ outcome: "ok", era, revision: revisions[era] });
      expect(textOf(detail.result)).toBe("3");
      expect(detail.checks.filter(({ status }) => status === "failed")).toEqual([]);
      checkWire(detail, { era, isHttp: program === undefined });
    }
    const other = eras.includes("modern") ? undefined : "modern";
    if (other !== undefined)
      await expect(callAdd(page, other)).rejects.toThrow("409 The server does not support the modern era.");
    expect(await stopInspect(child)).toBe(0);
    // The hint is right on a slow machine.
    expect(stderr.filter((line) => !line.startsWith("The program has not responded yet."))).toEqual([]);
  });
});

function hasEras({ status, revisions }: ConnectionState, eras: readonly Era[]): boolean {
  return status === "ready" && eras.every((era) => revisions[era] !== undefined);
}

async function callAdd(page: PageClient, era: Era): Promise<CallDetail> {
  const { id } = await page.command("call", { tool: "add", arguments: { a: 1, b: 2 }, era });
  await page.call(id);
  return page.detail(id);
}

/** The first message is the request, with the marks of its era. The last one is its response. */
function checkWire(
  { wire, summary }: CallDetail,
  { era, isHttp }: { readonly era: Era; readonly isHttp: boolean },
): void {
  const parsed = wire.filter(({ text }) => text !== "").map(({ text }) => JSON.parse(text) as Message);
  const [request] = parsed;
  expect(request).toMatchObject({ method: "tools/call", params: { name: "add", arguments: { a: 1, b: 2 } } });
  const version = request?.params?._meta?.["io.modelcontextprotocol/protocolVersion"];
  expect(version).toBe(era === "modern" ? summary.revision : undefined);
  expect(parsed.at(-1)).toMatchObject({ id: request?.id, result: { content: [{ text: "3" }] } });
  expect(wire.map(({ http }) => http !== undefined)).toContain(isHttp);
  if (!isHttp) return;
  const headers = headersOf(wire[0]);
  expect(headers.get("mcp-protocol-version")).toBe(summary.revision);
  expect(headers.get("mcp-method")).toBe(era === "modern" ? "tools/call" : undefined);
  expect(wire.find(({ direction }) => direction === "received")?.http?.status).toBe(200);
}

interface Message {
  readonly id?: unknown;
  readonly params?: { readonly _meta?: Readonly<Record<string, unknown>> };
}

function headersOf(entry: WireEntry | undefined): ReadonlyMap<string, string> {
  return new Map(entry?.http?.headers);
}

describe("tenon inspect with authorization", () => {
  test("signs in to an authorization server in the browser, and never shows the token", async () => {
    const servers = await startRealServers();
    try {
      const { url, stderr } = await startInspect([servers.endpoint.href]);
      const page = await PageClient.open(url);
      const { signInUrl = "" } = await page.connected(
        (state) => state.status === "sign-in" && state.signInUrl !== undefined,
      );
      expect(await signInAs("ada@example.com", signInUrl)).toContain("You are signed in");
      await page.connected((state) => hasEras(state, ["legacy", "modern"]));
      const { id } = await page.command("call", { tool: "read", arguments: {}, era: "modern" });
      expect(await page.call(id)).toMatchObject({ outcome: "ok" });
      const detail = await page.detail(id);
      expect(textOf(detail.result)).toBe("notes");
      expect(headersOf(detail.wire[0]).get("authorization")).toBe("Bearer [REDACTED]");
      // The access token is a JWT.
      expect(JSON.stringify([page.events, detail, stderr])).not.toContain("eyJ");
    } finally {
      await servers.close();
    }
  });

  test.each([
    ["the right token", "s3cret-token", "ready"],
    ["a wrong token", "wr0ng-token", "failed"],
  ])("sends %s from an environment variable", async (_title, token, status) => {
    const listener = createSdkV2();
    const origin = await serveHttp((request, response) => {
      if (request.headers.authorization === "Bearer s3cret-token") listener(request, response);
      else response.writeHead(401, { "www-authenticate": 'Bearer error="invalid_token"' }).end();
    });
    const { url, stderr } = await startInspect([`${origin}/mcp`, "--bearer-env", "TOKEN"], { TOKEN: token });
    const page = await PageClient.open(url);
    const state = await page.connected((one) => one.status === status);
    if (status === "failed") expect(state.message).toBe("The server requires authorization (HTTP 401).");
    else {
      const detail = await callAdd(page, "modern");
      expect(textOf(detail.result)).toBe("3");
      expect(JSON.stringify(detail)).not.toContain(token);
    }
    expect(JSON.stringify([page.events, stderr])).not.toContain(token);
  });
});

describe("tenon inspect with a server that it cannot use", () => {
  const node = process.execPath;
  const respond = (status: number, type: string, body: string) => () =>
    serveHttp((_request, response) => response.writeHead(status, { "content-type": type }).end(body));

  interface BadCase {
    readonly title: string;
    /** Starts a server, and returns its URL. */
    readonly serve?: () => Promise<string>;
    readonly args?: readonly string[];
    readonly message: RegExp;
    /** Further lines in the terminal. */
    readonly details?: readonly string[];
  }

  const BAD: readonly BadCase[] = [
    {
      title: "an unreachable URL",
      args: ["http://127.0.0.1:1/mcp"],
      message: /^Could not reach the server: .+\. Check the URL and that the server is running\.$/,
    },
    {
      title: "a web page",
      serve: respond(200, "text/html", "<h1>Hello</h1>"),
      message:
        /^The server's response does not contain a JSON-RPC message\. Check that the URL is an MCP endpoint\.$/,
    },
    {
      title: "JSON that is not a message",
      serve: respond(200, "application/json", '{"hello":"world"}'),
      message:
        /^The server's response does not contain a JSON-RPC message\. Check that the URL is an MCP endpoint\.$/,
    },
    {
      title: "a path that does not exist",
      serve: respond(404, "text/plain", "Not found"),
      message: /^The URL is not an MCP endpoint \(HTTP 404\)\. Check its path, which is usually \/mcp\.$/,
    },
    {
      title: "a server that fails",
      serve: respond(500, "text/plain", "Error\n    at main.js:1"),
      message: /^The server responded with HTTP 500\. Check the server's log\.$/,
    },
    {
      title: "a program that exits",
      args: ["--", node, "-e", "console.error('The configuration is missing.'); process.exit(3)"],
      message: /^The program exited with code 3\.$/,
      details: ["  The configuration is missing."],
    },
    {
      title: "a program that does not exist",
      args: ["--", "no-such-program"],
      message: /^Could not start "no-such-program": program not found\. Check the name and your PATH\.$/,
    },
  ];

  test.each(BAD)("explains $title", async ({ serve, args = [], message, details = [] }) => {
    const { child, url, stderr } = await startInspect(serve === undefined ? args : [await serve()]);
    const page = await PageClient.open(url);
    const state = await page.connected(({ status }) => status === "failed");
    expect(state.message).toMatch(message);
    await expect(callAdd(page, "legacy")).rejects.toThrow("409 The page is not connected to the server.");
    expect(await stopInspect(child)).toBe(0);
    // The reason is printed once, although the page tries again.
    expect(stderr.slice(0, 1 + details.length)).toEqual([state.message, ...details]);
    expect(stderr.filter((line) => line === state.message)).toHaveLength(1);
    expect(stderr.join("\n")).not.toMatch(/^\s+at /m);
  });

  test("says that a program does not respond", async () => {
    const silent = "process.stdin.on('data', () => console.log('hello'))";
    const { child, url, stderr } = await startInspect(["--", node, "-e", silent]);
    const page = await PageClient.open(url);
    const state = await page.connected(({ message }) => message !== undefined);
    expect(state).toMatchObject({
      status: "connecting",
      message: "The program has not responded yet. Check that it is an MCP server.",
    });
    expect(await stopInspect(child)).toBe(0);
    expect(stderr).toEqual([state.message]);
  });

  test("hides the values of the headers that the user sets, whatever their names are", async () => {
    const origin = await serveHttp(createSdkV2());
    const { url } = await startInspect([`${origin}/mcp`, "--header", "X-Tenant: s3cret-tenant"]);
    const page = await PageClient.open(url);
    await page.connected((state) => hasEras(state, ["legacy", "modern"]));
    const detail = await callAdd(page, "modern");
    expect(headersOf(detail.wire[0]).get("x-tenant")).toBe("[REDACTED]");
    expect(JSON.stringify([detail, page.events, await page.command("export", {})])).not.toContain("s3cret");
    expect(detail.snippets.curl).toContain('"x-tenant: $X_TENANT"');
  });
});
