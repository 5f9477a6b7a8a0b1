import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { splitWords } from "../src/client/target.js";
import { tenonInProcess } from "../../../tests/support/program.js";

type Answer = (request: IncomingMessage, response: ServerResponse, body: JsonRpc) => void;
interface JsonRpc {
  readonly id?: number;
  readonly method?: string;
}

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Starts a server with arbitrary responses on a free port. */
async function serve(answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => answer(request, response, (text === "" ? {} : JSON.parse(text)) as JsonRpc));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/mcp?key=s3cret`;
}

const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

describe("a server that misbehaves", () => {
  test.each<[string, Answer, string]>([
    [
      "redirects",
      (_request, response) => response.writeHead(307, { location: "http://127.0.0.1:1/?key=s3cret" }).end(),
      "The server redirects to http://127.0.0.1:1/ (HTTP 307). Redirects are not followed. Use that URL instead.",
    ],
    [
      "denies access",
      (_request, response) => json(response, 403, {}),
      "The server denied access (HTTP 403). Check the token's scopes and the server's allowed hosts.",
    ],
    [
      "fails",
      (_request, response) => json(response, 500, {}),
      "The server responded with HTTP 500. Check the server's log.",
    ],
    [
      "responds with HTML",
      (_request, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
      "The server's response does not contain a JSON-RPC message. Check that the URL is an MCP endpoint.",
    ],
    [
      "closes the connection",
      (request) => request.socket.destroy(),
      "Could not reach the server: UND_ERR_SOCKET. Check the URL and that the server is running.",
    ],
    [
      "never ends a response",
      (_request, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        const more = () => response.write("x".repeat(1_000_000));
        response.on("drain", more);
        more();
      },
      "The server's response is too large (limit: 16777216 bytes).",
    ],
    [
      "never ends an event",
      (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const more = () => response.write(`data: ${"x".repeat(1_000_000)}\n`);
        response.on("drain", more);
        more();
      },
      "The server's response is too large (limit: 16777216 bytes).",
    ],
    [
      "never ends an event's line",
      (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const more = () => response.write("x".repeat(1_000_000));
        response.on("drain", more);
        more();
      },
      "The server's response is too large (limit: 16777216 bytes).",
    ],
    [
      "responds without a result",
      (_request, response, { id }) => json(response, 200, { jsonrpc: "2.0", id, result: 7 }),
      "The server's response does not contain a result object.",
    ],
    [
      "supports only an unknown revision",
      (_request, response, { id, method }) =>
        method === "initialize"
          ? json(response, 200, { jsonrpc: "2.0", id, result: { protocolVersion: "1999-01-01" } })
          : json(response, 400, {}),
      'The server chose protocol revision "1999-01-01". This client supports 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28.',
    ],
    [
      "returns an endless list",
      (_request, response, { id, method }) =>
        json(response, 200, {
          jsonrpc: "2.0",
          id,
          result:
            method === "server/discover"
              ? { capabilities: { tools: {} } }
              : { tools: [], nextCursor: "again" },
        }),
      "The server's tools/list result never ends, because it repeats a cursor.",
    ],
    [
      "responds with terminal control characters",
      (_request, response, { id, method }) =>
        method === "server/discover"
          ? json(response, 200, { jsonrpc: "2.0", id, result: { capabilities: { tools: {} } } })
          : json(response, 200, { jsonrpc: "2.0", id, error: { code: -1, message: "a\u001b[2Jb" } }),
      "The server responded with error -1: a[2Jb",
    ],
  ])("%s", async (_what, answer, problem) => {
    const server = await serve(answer);
    const { code, stdout, stderr } = await tenonInProcess(["list", server, "--timeout", "10"]);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: `${problem}\n` });
  });

  test("never responds: the call times out", async () => {
    const { code, stderr } = await tenonInProcess(["list", await serve(() => undefined), "--timeout", "0.3"]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "The server did not respond to initialize within 0.3 s. Raise --timeout to wait longer.\n",
    });
  });

  test("is not running", async () => {
    const server = await serve(() => undefined);
    for (const end of ends.splice(0)) end();
    const { code, stderr } = await tenonInProcess(["list", server]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "Could not reach the server: ECONNREFUSED. Check the URL and that the server is running.\n",
    });
  });

  test.each<[readonly string[], string]>([
    [
      ["no-such-program-anywhere"],
      'Could not start "no-such-program-anywhere": program not found. Check the name and your PATH.\n',
    ],
    [
      [process.execPath, "-e", "process.stderr.write('no license'); process.exitCode = 3"],
      "The program exited with code 3. Standard error output:\nno license\n",
    ],
  ])("is a program that does not serve: %j", async (words, stderr) => {
    expect(await tenonInProcess(["list", "--", ...words])).toEqual({ code: 1, stdout: "", stderr });
  });
});

test("resumes an interrupted stream where it ended", async () => {
  const seen: string[] = [];
  const server = await serve((request, response, { id, method }) => {
    const reply = (result: object) => JSON.stringify({ jsonrpc: "2.0", id, result });
    seen.push(`${request.method} ${method ?? String(request.headers["last-event-id"] ?? "")}`.trim());
    if (request.method === "DELETE") return void response.end();
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      return void response.end(`id: 2\ndata: {"jsonrpc":"2.0","id":3,"result":{"tools":[]}}\n\n`);
    }
    if (method === "server/discover") return void json(response, 404, {});
    if (method === "notifications/initialized") return void response.writeHead(202).end();
    response.writeHead(200, { "content-type": "text/event-stream", "mcp-session-id": "one" });
    if (method === "tools/list") return void response.end("id: 1\nretry: 10\ndata:\n\n");
    const greeting = {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "cut" },
    };
    return void response.end(`data: ${reply(greeting)}\n\n`);
  });
  const { code, stdout } = await tenonInProcess(["list", server]);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: "cut (2025-11-25)\n\nThis server does not offer any tools, resources, or prompts.\n",
  });
  expect(seen).toEqual([
    "POST server/discover",
    "POST initialize",
    "POST notifications/initialized",
    "POST tools/list",
    "GET 1",
    "DELETE",
  ]);
});

test.each<[string, readonly string[] | undefined]>([
  ["npx -y server", ["npx", "-y", "server"]],
  [`  a  "b c"  'd "e"' `, ["a", "b c", 'd "e"']],
  [`a"b c"d ''`, ["ab cd", ""]],
  ["$HOME `x` \\n", ["$HOME", "`x`", "\\n"]],
  [`a "b`, undefined],
])("splits %j into words", (text, words) => {
  expect(splitWords(text)).toEqual(words);
});
