import { once } from "node:events";
import { createServer } from "node:http";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { ROOT } from "../../../tools/source-files.js";
import {
  FIXTURE_SOURCES,
  fixtures,
  programFile,
  startTenon,
  temporaryFolder,
  tenon,
} from "../../../tests/support/program.js";

const ME = { name: "test", version: "1.0.0" };
const start = (file: string) => ({
  command: process.execPath,
  args: [programFile("tenon"), "run", file],
  cwd: fixtures(),
  stderr: "ignore" as const,
});

describe("tenon run over stdio", () => {
  test("serves a builder to the official client v1", async () => {
    const client = new ClientV1(ME);
    await client.connect(new StdioV1(start("calculator.mjs")));
    const result = await client.callTool({ name: "add", arguments: { a: 1, b: 2 } });
    expect(result.content).toEqual([{ type: "text", text: "3" }]);
    await client.close();
  });

  test("serves a builder to the official client v2, without a session", async () => {
    const client = new ClientV2(ME, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StdioV2(start("calculator.mjs")));
    expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
    const result = await client.callTool({ name: "add", arguments: { a: 1, b: 2 } });
    expect(result.content).toEqual([{ type: "text", text: "3" }]);
    await client.close();
  });

  test.each([
    ["sdk-v1-factory.mjs", "shout", "HELLO"],
    ["sdk-v1-instance.mjs", "shout", "HELLO"],
    ["sdk-v2-factory.mjs", "whisper", "hello"],
  ])("serves %s, built with the official SDK", async (file, name, text) => {
    const client = new ClientV1(ME);
    await client.connect(new StdioV1(start(file)));
    const result = await client.callTool({ name, arguments: { text: "Hello" } });
    expect(result.content).toEqual([{ type: "text", text }]);
    await client.close();
  });

  test("writes only protocol messages to standard output, even if the module prints text", async () => {
    const { code, stdout, stderr } = await tenon(["run", "calculator.mjs"], {
      stdin: `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`,
    });
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: '{"jsonrpc":"2.0","id":1,"result":{}}\n',
      stderr: "the calculator is loaded\n",
    });
  });

  test.each<[string, RegExp]>([
    [
      "no-default.mjs",
      /^"no-default\.mjs" does not export a server\. It exports: server\. Export the server as default, server, app, or mcp, or select an export: no-default\.mjs:server\n$/,
    ],
    [
      "no-server.mjs",
      /^"no-server\.mjs" does not export a server\. It exports: default\. Export the server as default, server, app, or mcp, or select an export: no-server\.mjs:name\n$/,
    ],
    ["broken.mjs", /^Could not load "broken\.mjs": the database is not there \(broken\.mjs:2:7\)\.\n$/],
  ])("rejects %s with a message and exit code 1", async (file, problem) => {
    const { code, stdout, stderr } = await tenon(["run", file]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(problem);
  });

  test("shuts down gracefully on SIGTERM", async () => {
    const child = startTenon(["run", "calculator.mjs"]);
    await once(child.stderr, "data");
    // The first response shows that the server is ready.
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});

/** True if this version of Node loads TypeScript without a loader. Its types do not declare the property yet. */
const loadsTypeScript = Boolean((process.features as { readonly typescript?: unknown }).typescript);

describe("TypeScript", () => {
  const source = `export default { handle: () => undefined, attach: () => () => {} } as { handle: unknown };\n`;

  test("prints the install command if tsx is missing, unless Node itself loads TypeScript", async () => {
    const cwd = temporaryFolder();
    writeFileSync(`${cwd}/server.ts`, source);
    const { code, stderr } = await tenon(["run", "server.ts"], { cwd });
    const advice = `"server.ts" is TypeScript, which Node.js ${process.version} cannot load. Install tsx: npm install --save-dev tsx\n`;
    expect({ code, stderr }).toEqual(loadsTypeScript ? { code: 0, stderr: "" } : { code: 1, stderr: advice });
  });

  test.each(["module", "commonjs"])("loads a file of type %s with the project's tsx", async (type) => {
    const cwd = temporaryFolder();
    writeFileSync(`${cwd}/package.json`, JSON.stringify({ type }));
    writeFileSync(`${cwd}/server.ts`, source);
    mkdirSync(`${cwd}/node_modules`);
    symlinkSync(`${ROOT}/node_modules/tsx`, `${cwd}/node_modules/tsx`);
    expect(await tenon(["run", "server.ts"], { cwd })).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("uses the loader that Node.js was started with", async () => {
    const nodeFlags = ["--import", import.meta.resolve("tsx")];
    const words = ["call", "add", "a=1", "b=2", "--server", "calculator.ts"];
    const { code, stdout } = await tenon(words, { nodeFlags, cwd: FIXTURE_SOURCES });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "3\n" });
  });
});

describe("tenon run over HTTP", () => {
  /** Starts the program on a free port. Returns its URL, its output so far, and the process. */
  async function serve(...args: readonly string[]) {
    const child = startTenon(["run", ...args, "--port", "0"]);
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stderr })) {
      said.push(line);
      const [, url] = /^Serving (http:\S+)$/.exec(line) ?? [];
      if (url !== undefined) return { url: new URL(url), said, child };
    }
    throw new Error(`The program did not start: ${said.join("\n")}`);
  }

  async function stop({ child }: Awaited<ReturnType<typeof serve>>): Promise<void> {
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([0, null]);
  }

  test("serves both protocol eras, and shuts down gracefully", async () => {
    const running = await serve("calculator.mjs", "--path", "/here");
    expect(running.url.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/here$/);
    const old = new ClientV1(ME);
    await old.connect(new HttpV1(running.url));
    expect((await old.listTools()).tools.map(({ name }) => name)).toContain("add");
    const modern = new ClientV2(ME, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await modern.connect(new HttpV2(running.url));
    const result = await modern.callTool({ name: "regional", arguments: { region: "eu" } });
    expect(result.content).toEqual([{ type: "text", text: "in eu" }]);
    expect((await fetch(new URL("/healthz", running.url))).status).toBe(200);
    expect((await fetch(new URL("/readyz", running.url))).status).toBe(200);
    expect((await fetch(new URL("/mcp", running.url))).status).toBe(404);
    await Promise.all([old.close(), modern.close()]);
    await stop(running);
  });

  test("is alive but not ready while it shuts down", async () => {
    const running = await serve("calculator.mjs");
    const { url } = running;
    const socket = connect(Number(url.port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    // The server waits for the rest of this request.
    await new Promise((resolve) => socket.write("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n", resolve));
    const statusOf = async (path: string) => (await fetch(new URL(path, url))).status;
    expect(await statusOf("/readyz")).toBe(200);
    running.child.kill("SIGINT");
    await expect.poll(() => statusOf("/readyz")).toBe(503);
    expect(await statusOf("/healthz")).toBe(200);
    socket.destroy();
    expect(await once(running.child, "exit")).toEqual([0, null]);
  });

  test("serves several clients with a factory of official SDK servers", async () => {
    const running = await serve("sdk-v1-factory.mjs");
    for (const text of ["a", "b"]) {
      const client = new ClientV1(ME);
      await client.connect(new HttpV1(running.url));
      const result = await client.callTool({ name: "shout", arguments: { text } });
      expect(result.content).toEqual([{ type: "text", text: text.toUpperCase() }]);
      await client.close();
    }
    expect(running.said).toHaveLength(1);
    await stop(running);
  });

  test("reports that a single instance supports only one session", async () => {
    const running = await serve("sdk-v1-instance.mjs");
    expect(running.said[0]).toBe(
      "This server supports only one session. To support more, export a function that returns a new server.",
    );
    await stop(running);
  });

  test("reports a port that is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const { code, stderr } = await tenon(["run", "sdk-v1-factory.mjs", "--port", String(port)]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `Port ${port} is already in use. Choose a different port, or pass 0 to pick a free port.\n`,
    });
    other.close();
  });

  test("requires --allow-host for an address that other machines can reach", async () => {
    const { code, stderr } = await tenon(["run", "sdk-v1-factory.mjs", "--port", "0", "--host", "0.0.0.0"]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        "--allow-host is required to listen on 0.0.0.0, because other machines can reach it. Pass the host name that clients use.\n",
    });
  });
});
