import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { defineServer } from "tenon";
import { toNodeHandler } from "tenon/node";
import { ROOT } from "../../../../tools/source-files.js";
import {
  type ConnectedTools,
  connectMcpServer,
  type ConnectMcpOptions,
} from "../../src/adapters/connect-mcp-server.js";
import { fromMcpClient } from "../../src/adapters/from-mcp-server.js";
import { ToolRegistry } from "../../src/tools/tool-registry.js";
import { ToolService } from "../../src/tool-service.js";

const LOST =
  "The connection to the MCP server was lost during the call. It is not known if the tool did its work. " +
  "Check the state before you call the tool again.";
const UNREACHABLE = "The MCP server could not be reached. The tool was not run. Try again later.";
const INFO = { name: "tools", version: "1.0.0" };

async function connect(options: ConnectMcpOptions): Promise<ConnectedTools> {
  const connected = await connectMcpServer(options);
  onTestFinished(() => connected.close());
  return connected;
}

/** Calls a tool by the definition that it had at first, as an agent does. */
function createCall({ tools }: Pick<ConnectedTools, "tools">) {
  const registry = new ToolRegistry();
  for (const tool of tools) registry.register(tool);
  const service = new ToolService(registry);
  return (name: string, signal?: AbortSignal) =>
    service.execute({ name, params: {}, getCurrentTask: () => "t", signal });
}

const namesOf = ({ tools }: ConnectedTools) => tools.map(({ name }) => name);

/** Endpoint that can be stopped and started again on the same port. */
class Endpoint {
  #http: HttpServer | undefined;
  #port = 0;

  start(server: Parameters<typeof toNodeHandler>[0]): Promise<string> {
    return this.listen(toNodeHandler(server));
  }

  async listen(handler: RequestListener): Promise<string> {
    const http = createServer(handler);
    http.listen(this.#port, "127.0.0.1");
    await once(http, "listening");
    this.#http = http;
    this.#port = (http.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.#port}/mcp`;
  }

  async stop(): Promise<void> {
    const http = this.#http;
    this.#http = undefined;
    const closed = new Promise((resolve) => http?.close(resolve) ?? resolve(undefined));
    http?.closeAllConnections();
    await closed;
  }

  /** Breaks every connection, but keeps listening. */
  breakConnections(): void {
    this.#http?.closeAllConnections();
  }
}

function createEndpoint(): Endpoint {
  const endpoint = new Endpoint();
  onTestFinished(() => endpoint.stop());
  return endpoint;
}

const serverWith = (...names: readonly string[]) =>
  names.reduce(
    (server, name) => server.tool(name, { handler: () => `from ${names.at(-1)}` }),
    defineServer(INFO),
  );

/** Creates a server of the official SDK, version 1. It knows only the sessions that it has created itself. */
function createSessions(...names: readonly string[]): RequestListener {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const open = async () => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    const server = new McpServer(INFO);
    for (const name of names) {
      const content = [{ type: "text" as const, text: `from ${names.at(-1)}` }];
      // A call may be lost on a connection whose end the client has not noticed yet. The hint allows a second one.
      server.registerTool(name, { annotations: { readOnlyHint: true } }, () => ({ content }));
    }
    await server.connect(transport);
    return transport;
  };
  return (request, response) => {
    const id = request.headers["mcp-session-id"];
    const known = typeof id === "string" ? sessions.get(id) : undefined;
    if (id !== undefined && known === undefined) return void response.writeHead(404).end();
    void (known === undefined ? open() : Promise.resolve(known)).then((transport) =>
      transport.handleRequest(request, response),
    );
  };
}

describe("a server of the official SDK, version 1", () => {
  test("that restarts is called again", async () => {
    const endpoint = createEndpoint();
    const connected = await connect({ url: await endpoint.listen(createSessions("one")), trusted: true });
    const call = createCall(connected);
    expect((await call("one")).toolResult).toBe("from one");
    await endpoint.stop();
    await endpoint.listen(createSessions("one", "two"));
    expect((await call("one")).toolResult).toBe("from two");
    await expect.poll(() => namesOf(connected)).toEqual(["one", "two"]);
  });

  test("that no longer knows the session is called in a new one, and its tools are listed again", async () => {
    const endpoint = createEndpoint();
    let sessions = createSessions("one");
    const url = await endpoint.listen((request, response) => sessions(request, response));
    const connected = await connect({ url, trusted: true });
    const call = createCall(connected);
    expect((await call("one")).toolResult).toBe("from one");
    sessions = createSessions("one", "two");
    expect((await call("one")).toolResult).toBe("from two");
    await expect.poll(() => namesOf(connected)).toEqual(["one", "two"]);
  });

  test("is called through a client of the official SDK, version 1", async () => {
    const endpoint = createEndpoint();
    const url = new URL(await endpoint.listen(createSessions("one")));
    const client = new OldClient(INFO);
    await client.connect(new StreamableHTTPClientTransport(url));
    onTestFinished(() => client.close());
    const call = createCall({ tools: await fromMcpClient(client) });
    expect((await call("one")).toolResult).toBe("from one");
  });
});

describe("a server over HTTP", () => {
  test("that restarts is called again, and its tools are listed again", async () => {
    const endpoint = createEndpoint();
    const connected = await connect({ url: await endpoint.start(serverWith("one")) });
    const call = createCall(connected);
    const changes: (readonly string[])[] = [];
    connected.onChange((tools) => changes.push(tools.map(({ name }) => name)));
    connected.onChange(() => {
      throw new Error("a listener that fails");
    });
    await endpoint.stop();
    const running = call("one");
    await endpoint.start(serverWith("one", "two"));
    expect((await running).toolResult).toBe("from two");
    await expect.poll(() => namesOf(connected)).toEqual(["one", "two"]);
    expect(changes).toEqual([["one", "two"]]);
  });

  test("that is down causes a clear error, and is found again in the background", async () => {
    const endpoint = createEndpoint();
    const connected = await connect({ url: await endpoint.start(serverWith("one")) });
    await endpoint.stop();
    expect((await createCall(connected)("one")).message).toBe(`Tool 'one' failed: ${UNREACHABLE}`);
    await endpoint.start(serverWith("one", "two"));
    await expect.poll(() => namesOf(connected)).toEqual(["one", "two"]);
  });

  test.each([
    ["is not repeated without a hint", {}, 1, `Tool 'work' failed: ${LOST}`],
    ["is repeated if the tool is read-only", { readOnlyHint: true }, 2, "done"],
    ["is repeated if the tool is idempotent", { idempotentHint: true }, 2, "done"],
    [
      "is not repeated on the word of an untrusted server",
      { readOnlyHint: true },
      1,
      `Tool 'work' failed: ${LOST}`,
      false,
    ],
  ])("a call that was lost %s", async (_name, annotations, expected, message, trusted = true) => {
    const endpoint = createEndpoint();
    let calls = 0;
    const server = defineServer(INFO).tool("work", {
      annotations,
      handler: () => {
        if (++calls > 1) return "done";
        endpoint.breakConnections();
        return new Promise(() => {});
      },
    });
    const call = createCall(await connect({ url: await endpoint.start(server), trusted }));
    expect((await call("work")).message).toBe(message);
    expect(calls).toBe(expected);
    // The connection works again.
    expect((await call("work")).message).toBe("done");
  });

  test("that reports a change is listed again, and tools that did not change keep their definition", async () => {
    const endpoint = createEndpoint();
    const server = serverWith("one").build();
    const connected = await connect({ url: await endpoint.start(server) });
    const [one] = connected.tools;
    server.update((editor) => editor.tool("two", { handler: () => "2" }));
    await expect.poll(() => namesOf(connected)).toEqual(["one", "two"]);
    expect(connected.tools[0]).toBe(one);
    await endpoint.stop();
    await endpoint.start(serverWith("three"));
    // The stream of changes has ended, so the connection is opened again without a call.
    await expect.poll(() => namesOf(connected)).toEqual(["three"]);
  });

  test("a cancelled call ends at once", async () => {
    const endpoint = createEndpoint();
    const server = defineServer(INFO).tool("wait", { handler: () => new Promise(() => {}) });
    const call = createCall(await connect({ url: await endpoint.start(server) }));
    const controller = new AbortController();
    const running = call("wait", controller.signal);
    controller.abort();
    expect((await running).message).toBe("Tool 'wait' was cancelled");
  });

  test("a closed connection stays closed", async () => {
    const endpoint = createEndpoint();
    const connected = await connect({ url: await endpoint.start(serverWith("one")) });
    const call = createCall(connected);
    await connected.close();
    expect((await call("one")).message).toBe(
      "Tool 'one' failed: The connection to the MCP server is closed.",
    );
  });

  test("progress messages are shown to the user", async () => {
    const endpoint = createEndpoint();
    const server = defineServer(INFO).tool("work", {
      handler: async (_args, call) => {
        await call.progress(1, 2, "half way");
        return "done";
      },
    });
    const connected = await connect({ url: await endpoint.start(server) });
    const posted: unknown[] = [];
    const context = { params: {}, getCurrentTask: () => "t", getToolFromName: () => undefined };
    await connected.tools[0]?.invoke({ ...context, postMessage: (message) => posted.push(message) });
    expect(posted).toEqual(["half way"]);
  });
});

/** A program that counts its starts, and can exit. */
const PROGRAM = `
import { readFileSync, writeFileSync } from "node:fs";
import { defineServer } from "${ROOT}/packages/tenon/dist/index.js";
import { serveStdio } from "${ROOT}/packages/tenon/dist/transport/stdio/index.js";
const file = process.argv[2];
const starts = Number(readFileSync(file, "utf8")) + 1;
writeFileSync(file, String(starts));
console.error("secret output");
await serveStdio(
  defineServer({ name: "program", version: "1" })
    .tool("starts", { handler: () => String(starts) })
    .tool("tool_" + starts, { handler: () => "x" })
    .tool("exit", { handler: () => process.exit(7) })
    .tool("exit_once", {
      annotations: { readOnlyHint: true },
      handler: () => (starts === 1 ? process.exit(7) : "done"),
    }),
);
`;

function createProgram() {
  const folder = mkdtempSync(join(tmpdir(), "tenon-agent-"));
  const [program, file] = [join(folder, "program.mjs"), join(folder, "starts")];
  writeFileSync(program, PROGRAM);
  writeFileSync(file, "0");
  return { command: process.execPath, args: [program, file] };
}

describe("a program", () => {
  test("that exits is started again for the next call, and its tools are listed again", async () => {
    const connected = await connect({ ...createProgram(), prefix: "p_" });
    const call = createCall(connected);
    expect((await call("p_starts")).toolResult).toBe("1");
    const { message, error } = await call("p_exit");
    expect(message).toBe(`Tool 'p_exit' failed: ${LOST}`);
    // The program's error output must not reach a log.
    expect(inspect(error, { depth: 10 })).not.toContain("secret");
    expect((await call("p_starts")).toolResult).toBe("2");
    await expect.poll(() => namesOf(connected)).toContain("p_tool_2");
    expect(namesOf(connected)).not.toContain("p_tool_1");
  });

  test("that exits during a read-only call is called again", async () => {
    const call = createCall(await connect({ ...createProgram(), trusted: true }));
    expect((await call("exit_once")).message).toBe("done");
    expect((await call("starts")).toolResult).toBe("2");
  });

  test("that exits many times can still be called", async () => {
    const call = createCall(await connect(createProgram()));
    for (let count = 0; count < 7; count++) await call("exit");
    expect((await call("starts")).error).toBeUndefined();
  });

  test("that does not exist is reported at once", async () => {
    await expect(connectMcpServer({ command: "no-such-program-anywhere" })).rejects.toThrow(
      'Could not start "no-such-program-anywhere": program not found.',
    );
  });
});
