import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createMcpHandler, McpServer as McpServerV2 } from "@modelcontextprotocol/server";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { JsonObject } from "@tenon/internal/json";
import { defineServer } from "tenon";
import { toNodeHandler } from "tenon/node";
import { type Era, LATEST_LEGACY, MODERN_REVISIONS } from "tenon/protocol";
import type { Recording } from "../../src/page/protocol.js";
import { fixtures } from "../../../../tests/support/program.js";
import { inspectAt, inspectCommand, serveHttp, textOf } from "../support/page/inspected.js";
import { createShop } from "../support/page/shop.js";

const ERAS: readonly Era[] = ["legacy", "modern"];
const REVISIONS = { legacy: LATEST_LEGACY, modern: MODERN_REVISIONS.at(-1) };

async function inspectShop(server = createShop()) {
  const origin = await serveHttp(toNodeHandler(server));
  const inspected = await inspectAt(`${origin}/mcp`);
  await inspected.client.connectedTwice();
  await inspected.client.server();
  return { ...inspected, server, url: `${origin}/mcp` };
}

describe("a server of Tenon over HTTP", () => {
  test("has both eras, its definitions, and no credentials in its state", async () => {
    const { client } = await inspectShop();
    expect((await client.connectedTwice()).revisions).toEqual(REVISIONS);
    const state = await client.server();
    expect(state).toMatchObject({ name: "shop", version: "1.0.0", instructions: "Sells pizza." });
    expect(state.tools.map(({ definition }) => definition["name"])).toEqual([
      "add",
      "steps",
      "fail",
      "wait",
      "order",
      "slogan",
      "folders",
      "regional",
      "render",
    ]);
    expect(state.resources).toMatchObject([{ uri: "shop://menu" }]);
    expect(state.resourceTemplates).toMatchObject([{ uriTemplate: "shop://pizza/{kind}" }]);
    expect(state.prompts).toMatchObject([{ name: "review" }]);
  });

  test("gets token counts and findings in the background", async () => {
    const server = defineServer({ name: "odd", version: "1.0.0" })
      .tool("plain", { description: "Says hello to a person", handler: () => "hi" })
      .tool("my tool!", { handler: () => "hi" })
      .build();
    const origin = await serveHttp(toNodeHandler(server));
    const { client } = await inspectAt(`${origin}/mcp`);
    const state = await client.server(({ views }) => views[0]?.tokens !== undefined);
    const [plain, odd] = state.tools;
    expect(plain?.tokens).toBeGreaterThan(5);
    expect(odd?.findings.map(({ rule }) => rule)).toEqual(
      expect.arrayContaining(["name-characters", "description-missing"]),
    );
    expect(odd?.findings[0]).toMatchObject({
      message: expect.any(String),
      url: expect.stringContaining("docs/doctor/"),
    });
    expect(plain?.findings.map(({ rule }) => rule)).not.toContain("name-characters");
    expect(state.views[0]).toMatchObject({
      title: "as listed",
      toolCount: 2,
      tools: { plain: plain?.tokens, "my tool!": odd?.tokens },
    });
  });

  test("lists its definitions again when they change, and shows the changes", async () => {
    const { client, server } = await inspectShop();
    server.update((editor) => editor.tool("new", { description: "Is new", handler: () => "new" }));
    const state = await client.server(({ tools }) => tools.length === 10);
    expect(state.changes).toEqual([{ sign: "+", noun: "tool", name: "new" }]);
  });

  describe.each(ERAS)("in the %s era", (era) => {
    test("calls a tool, and records its messages, its phases, and its checks", async () => {
      const { client } = await inspectShop();
      const { id } = await client.command("call", { tool: "add", arguments: { a: 1, b: 2 }, era });
      const call = await client.call(id);
      expect(call).toMatchObject({
        client: { kind: "page" },
        era,
        revision: REVISIONS[era],
        method: "tools/call",
        name: "add",
        outcome: "ok",
        isRepeatable: true,
      });
      expect(call.phases.map(({ name }) => name)).toEqual(["network"]);
      const { result, wire, checks, params } = await client.detail(id);
      expect(params).toEqual({ name: "add", arguments: { a: 1, b: 2 } });
      expect(result).toMatchObject({ structuredContent: { sum: 3 } });
      expect(wire.map(({ direction }) => direction)).toEqual(["sent", "received"]);
      expect(wire[0]?.http).toMatchObject({ method: "POST" });
      expect(wire[1]?.http).toMatchObject({ status: 200 });
      expect(JSON.parse(wire[0]?.text ?? "")).toMatchObject({
        method: "tools/call",
        params: { name: "add" },
      });
      expect(checks.filter(({ status }) => status !== "ok")).toEqual([]);
      expect(checks.length).toBeGreaterThan(5);
    });

    test("shows progress, log messages, and tool errors", async () => {
      const { client } = await inspectShop();
      const { id } = await client.command("call", { tool: "steps", arguments: {}, era });
      expect(await client.call(id)).toMatchObject({ progress: { progress: 2, total: 2, message: "baking" } });
      expect(client.all("log").map(({ entry }) => entry)).toMatchObject([
        { source: "server", level: "info", text: "mixed" },
      ]);
      const failed = await client.command("call", { tool: "fail", arguments: {}, era });
      expect(await client.call(failed.id)).toMatchObject({
        outcome: "tool-error",
        message: "The oven is cold.",
      });
      const unknown = await client.command("call", { tool: "none", arguments: {}, era });
      expect(await client.call(unknown.id)).toMatchObject({
        outcome: "error",
        message: "Unknown tool: none",
      });
      expect((await client.detail(unknown.id)).error).toMatchObject({ message: "Unknown tool: none" });
    });

    test("cancels a call", async () => {
      const { client } = await inspectShop();
      const { id } = await client.command("call", { tool: "wait", arguments: {}, era });
      await client.call(id, ({ requestBytes }) => requestBytes !== undefined);
      await client.command("cancel", { id });
      expect(await client.call(id)).toMatchObject({ outcome: "cancelled" });
      await expect(client.command("cancel", { id })).rejects.toThrow("409");
    });

    test("ends a call after its time limit", async () => {
      const { client } = await inspectShop();
      const { id } = await client.command("call", { tool: "wait", arguments: {}, era, timeoutMs: 50 });
      expect(await client.call(id)).toMatchObject({
        outcome: "error",
        message: expect.stringContaining("0.05 s"),
      });
    });

    test("asks the user: elicitation, sampling, and roots", async () => {
      const { client } = await inspectShop();
      const order = await client.command("call", { tool: "order", arguments: {}, era });
      const where = await client.question();
      expect(where).toMatchObject({
        callId: order.id,
        era,
        method: "elicitation/create",
        params: { message: "Where to?" },
      });
      await expect(client.command("answer", { id: where.id, answer: { action: "maybe" } })).rejects.toThrow(
        "400",
      );
      await client.command("answer", {
        id: where.id,
        answer: { action: "accept", content: { street: "Elm" } },
      });
      const ordered = await client.call(order.id);
      expect(ordered.phases.map(({ name }) => name)).toContain("user");
      const { result, wire } = await client.detail(order.id);
      expect(textOf(result)).toBe("to Elm");
      expect(wire.map(({ text: line }) => line).join("\n")).toContain("Where to?");
      expect(wire.filter(({ direction }) => direction === "sent").length).toBeGreaterThanOrEqual(2);

      const slogan = await client.command("call", { tool: "slogan", arguments: {}, era });
      const sampling = await client.question();
      expect(sampling.method).toBe("sampling/createMessage");
      const content = { type: "text", text: "Yum" };
      await client.command("answer", {
        id: sampling.id,
        answer: { role: "assistant", model: "me", content },
      });
      await client.call(slogan.id);
      expect(textOf((await client.detail(slogan.id)).result)).toContain("Yum");

      const folders = await client.command("call", { tool: "folders", arguments: {}, era });
      const roots = await client.question();
      expect(roots.method).toBe("roots/list");
      await client.command("answer", { id: roots.id, answer: { roots: [{ uri: "file:///a" }] } });
      await client.call(folders.id);
      expect(textOf((await client.detail(folders.id)).result)).toBe("file:///a");
    });

    test("lets the user decline, and closes the question of a call that was cancelled", async () => {
      const { client } = await inspectShop();
      const first = await client.command("call", { tool: "order", arguments: {}, era });
      await client.command("answer", { id: (await client.question()).id, answer: { action: "decline" } });
      await client.call(first.id);
      expect(textOf((await client.detail(first.id)).result)).toBe("not ordered (decline)");
      const declined = await client.command("call", { tool: "slogan", arguments: {}, era });
      await client.command("answer", { id: (await client.question()).id, answer: { action: "decline" } });
      expect(await client.call(declined.id)).not.toMatchObject({ outcome: "ok" });
      const second = await client.command("call", { tool: "order", arguments: {}, era });
      const { id } = await client.question();
      await client.command("cancel", { id: second.id });
      await client.until(
        () => client.all("question-closed").find((event) => event.id === id),
        "question-closed",
      );
      await expect(client.command("answer", { id, answer: { action: "cancel" } })).rejects.toThrow("404");
    });

    test("reads resources and prompts, and completes arguments", async () => {
      const { client } = await inspectShop();
      const read = await client.command("read", { uri: "shop://pizza/funghi", era });
      await client.call(read.id);
      expect((await client.detail(read.id)).result).toMatchObject({ contents: [{ text: "The funghi" }] });
      const prompt = await client.command("prompt", { name: "review", arguments: { kind: "funghi" }, era });
      await client.call(prompt.id);
      expect(JSON.stringify((await client.detail(prompt.id)).result)).toContain("Review the funghi.");
      const ref = { type: "prompt", name: "review" } as const;
      const found = await client.command("complete", { ref, argument: "kind", value: "mar", known: {}, era });
      expect(found).toEqual({ values: ["margherita", "marinara"], hasMore: false });
    });

    test("sends arguments in headers, and repeats calls", async () => {
      const { client } = await inspectShop();
      const { id } = await client.command("call", { tool: "regional", arguments: { region: "eu" }, era });
      expect(await client.call(id)).toMatchObject({ outcome: "ok" });
      const headers = new Map((await client.detail(id)).wire[0]?.http?.headers);
      expect(headers.get("mcp-param-region")).toBe(era === "modern" ? "eu" : undefined);
      const again = await client.command("repeat", { id });
      expect(await client.call(again.id)).toMatchObject({ outcome: "ok", name: "regional" });
      expect(textOf((await client.detail(again.id)).result)).toBe("in eu");
    });
  });

  test("compares both eras", async () => {
    const { client } = await inspectShop();
    const { legacy = "", modern = "" } = await client.command("compare", {
      tool: "add",
      arguments: { a: 1, b: 1 },
    });
    const calls = [await client.call(legacy), await client.call(modern)];
    expect(calls.map(({ era, outcome }) => [era, outcome])).toEqual([
      ["legacy", "ok"],
      ["modern", "ok"],
    ]);
  });

  test("validates arguments in place", async () => {
    const { client } = await inspectShop();
    const validate = (args: JsonObject) => client.command("validate", { tool: "add", arguments: args });
    expect(await validate({ a: 1, b: 2 })).toEqual({ problems: [] });
    expect(await validate({ a: "1" })).toEqual({
      problems: expect.arrayContaining([
        { path: ["b"], message: "A value is required." },
        { path: ["a"], message: expect.stringMatching(/number/) },
      ]),
    });
    await expect(client.command("validate", { tool: "none", arguments: {} })).rejects.toThrow("404");
  });

  test("notifies of subscribed resources only", async () => {
    const { client, server } = await inspectShop();
    await client.command("subscribe", { uri: "shop://menu", isOn: true });
    await vi.waitFor(() => {
      void server.resourceUpdated("shop://menu");
      expect(client.last("resource-updated")).toMatchObject({ uri: "shop://menu" });
    });
    await client.command("subscribe", { uri: "shop://menu", isOn: false });
    expect(client.all("resource-updated").every(({ uri }) => uri === "shop://menu")).toBe(true);
  });

  test("follows a task, with its questions, to its end", async () => {
    const { client } = await inspectShop();
    const { id } = await client.command("call", { tool: "render", arguments: {}, era: "modern" });
    const { taskId = "" } = await client.call(id, (call) => call.taskId !== undefined);
    const question = await client.question();
    expect(question.callId).toBe(id);
    await client.until(
      () => client.all("task").find(({ task }) => task.questionIds.includes(question.id)),
      "a task with a question",
    );
    await client.command("answer", {
      id: question.id,
      answer: { action: "accept", content: { paper: "A4" } },
    });
    expect(await client.call(id)).toMatchObject({ outcome: "ok" });
    expect(textOf((await client.detail(id)).result)).toBe("on A4");
    expect(client.all("task").at(-1)?.task).toMatchObject({
      id: taskId,
      callId: id,
      tool: "render",
      status: "completed",
      questionIds: [],
    });
  });

  test("cancels a task", async () => {
    const { client } = await inspectShop();
    const { id } = await client.command("call", { tool: "render", arguments: {}, era: "modern" });
    const { taskId = "" } = await client.call(id, (call) => call.taskId !== undefined);
    await client.question();
    await client.command("cancel-task", { id: taskId });
    expect(await client.call(id)).toMatchObject({ outcome: "cancelled" });
    expect(client.last("task")?.task).toMatchObject({ id: taskId, status: "cancelled", questionIds: [] });
    await expect(client.command("cancel-task", { id: "none" })).rejects.toThrow("404");
  });

  test("changes the log level in both eras", async () => {
    const { client } = await inspectShop();
    await client.command("log-level", { level: "error" });
    for (const era of ERAS) {
      const { id } = await client.command("call", { tool: "steps", arguments: {}, era });
      expect(await client.call(id)).toMatchObject({ outcome: "ok" });
    }
    expect(client.all("log")).toEqual([]);
  });

  test("exports and replays calls, and finds differences in outcomes and results", async () => {
    const { client, server } = await inspectShop();
    const calls = [
      await client.command("call", { tool: "add", arguments: { a: 1, b: 2 }, era: "modern" }),
      await client.command("call", { tool: "fail", arguments: {}, era: "legacy" }),
      await client.command("read", { uri: "shop://menu", era: "modern" }),
    ];
    for (const { id } of calls) await client.call(id);
    const recording = await client.command("export", {});
    expect(recording.calls.map(({ method, outcome }) => [method, outcome])).toEqual([
      ["tools/call", "ok"],
      ["tools/call", "tool-error"],
      ["resources/read", "ok"],
    ]);
    const replay = async (file: Recording) => {
      const { id } = await client.command("replay", { recording: file });
      return client.until(
        () =>
          client.all("replay").find((event) => event.replay.id === id && event.replay.status !== "running")
            ?.replay,
        "the end of the replay",
      );
    };
    expect(await replay(recording)).toMatchObject({ status: "done", done: 3, total: 3, differences: [] });
    server.update((editor) =>
      editor.removeTool("fail").tool("fail", { description: "Works", handler: () => "works now" }),
    );
    const changed = {
      ...recording,
      calls: recording.calls.map((call, index) => (index === 2 ? { ...call, result: {} } : call)),
    };
    const { differences } = await replay(changed);
    expect(differences).toMatchObject([
      { name: "fail", before: "tool-error", after: "ok", isResult: false },
      { name: "shop://menu", before: "ok", after: "ok", isResult: true },
    ]);
    expect(await client.detail(differences[0]?.callId ?? "")).toMatchObject({ summary: { outcome: "ok" } });
    const one = await client.command("export", { ids: [calls[0]?.id ?? ""] });
    expect(one.calls.length).toBe(1);
  });

  test("cancels a replay together with its call", async () => {
    const { client } = await inspectShop();
    const call = {
      era: "modern",
      method: "tools/call",
      params: { name: "wait" },
      outcome: "ok",
      at: 0,
    } as const;
    const recording: Recording = {
      format: "tenon-recording",
      version: 1,
      server: { name: "shop", version: "1" },
      calls: [call, call],
    };
    const { id } = await client.command("replay", { recording });
    await client.callOf("wait", ({ requestBytes }) => requestBytes !== undefined);
    await expect(client.command("replay", { recording })).rejects.toThrow("409");
    await client.command("cancel-replay", { id });
    await client.until(
      () => client.all("replay").find(({ replay }) => replay.status === "cancelled"),
      "cancelled",
    );
    expect(await client.callOf("wait")).toMatchObject({ outcome: "cancelled" });
  });

  test("clears the calls", async () => {
    const { client } = await inspectShop();
    const { id } = await client.command("call", { tool: "add", arguments: { a: 1, b: 2 }, era: "modern" });
    await client.call(id);
    await client.command("clear-calls", {});
    await client.until(() => client.last("calls-cleared"), "calls-cleared");
    await expect(client.detail(id)).rejects.toThrow("404");
  });
});

describe("a server that restarts", () => {
  test("is connected to again, and its definitions are listed again", async () => {
    let handler = toNodeHandler(createShop());
    let isDown = false;
    const origin = await serveHttp((request, response) => {
      if (isDown) request.socket.destroy();
      else handler(request, response);
    });
    const { client } = await inspectAt(`${origin}/mcp`);
    await client.connectedTwice();
    isDown = true;
    const { id } = await client.command("call", { tool: "add", arguments: { a: 1, b: 2 }, era: "modern" });
    expect(await client.call(id)).toMatchObject({ outcome: "error" });
    await client.connected(({ status }) => status !== "ready");
    handler = toNodeHandler(defineServer({ name: "next", version: "2.0.0" }).build());
    isDown = false;
    await client.server(({ name }) => name === "next");
    expect((await client.connected()).status).toBe("ready");
  });
});

/** Returns the origin of a port on which no server listens. */
async function closedOrigin(): Promise<string> {
  const http = createServer().listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  await new Promise((resolve) => http.close(resolve));
  return `http://127.0.0.1:${port}`;
}

describe("a server that cannot be reached", () => {
  test.each([
    ["a closed port", /^Could not reach the server: ECONNREFUSED\./],
    ["a wrong path", /^The URL is not an MCP endpoint \(HTTP 404\)\./],
  ])("%s is explained", async (kind, message) => {
    const origin =
      kind === "a wrong path"
        ? await serveHttp((_request, response) => response.writeHead(404).end())
        : await closedOrigin();
    const { client } = await inspectAt(`${origin}/mcp`);
    const state = await client.connected(({ status }) => status === "failed");
    expect(state.message).toMatch(message);
    await expect(client.command("call", { tool: "a", arguments: {}, era: "modern" })).rejects.toThrow(
      "409 The page is not connected to the server.",
    );
  });
});

/** Serves an official SDK v1 server with sessions. */
function createV1Listener() {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const create = async () => {
    const server = new McpServerV1({ name: "official-v1", version: "1.0.0" });
    server.registerTool(
      "shout",
      { description: "Shouts", inputSchema: { text: z.string() } },
      ({ text: said }) => ({
        content: [{ type: "text", text: said.toUpperCase() }],
      }),
    );
    server.registerTool("ask", { description: "Asks" }, async () => {
      const { action, content } = await server.server.elicitInput({
        message: "Who?",
        requestedSchema: { type: "object", properties: { name: { type: "string" } } },
      });
      return { content: [{ type: "text", text: `${action} ${JSON.stringify(content)}` }] };
    });
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void transports.set(id, transport),
    });
    await server.connect(transport);
    return transport;
  };
  return async (request: IncomingMessage, response: ServerResponse) => {
    const body: unknown = request.method === "POST" ? JSON.parse(await text(request)) : undefined;
    const known = transports.get(String(request.headers["mcp-session-id"]));
    const transport = known ?? (await create());
    await transport.handleRequest(request, response, body);
  };
}

describe("servers of the official SDK", () => {
  test("version 1 has the legacy era, and its questions are answered", async () => {
    const listener = createV1Listener();
    const origin = await serveHttp((request, response) => void listener(request, response));
    const { client } = await inspectAt(`${origin}/mcp`);
    expect((await client.connected()).revisions).toEqual({ legacy: LATEST_LEGACY });
    expect((await client.server()).tools.map(({ definition }) => definition["name"])).toEqual([
      "shout",
      "ask",
    ]);
    const { id } = await client.command("call", { tool: "shout", arguments: { text: "hi" }, era: "legacy" });
    await client.call(id);
    expect(textOf((await client.detail(id)).result)).toBe("HI");
    const asked = await client.command("call", { tool: "ask", arguments: {}, era: "legacy" });
    const question = await client.question();
    expect(question.callId).toBe(asked.id);
    await client.command("answer", {
      id: question.id,
      answer: { action: "accept", content: { name: "Ada" } },
    });
    await client.call(asked.id);
    expect(textOf((await client.detail(asked.id)).result)).toBe('accept {"name":"Ada"}');
    await expect(client.command("call", { tool: "shout", arguments: {}, era: "modern" })).rejects.toThrow(
      "409 The server does not support the modern era.",
    );
  });

  test("version 2 has both eras", async () => {
    const handler = createMcpHandler(() => {
      const server = new McpServerV2({ name: "official-v2", version: "2.0.0" });
      server.registerTool(
        "whisper",
        { description: "Says it softly", inputSchema: z.object({ text: z.string() }) },
        ({ text: said }) => ({ content: [{ type: "text", text: said.toLowerCase() }] }),
      );
      return server;
    });
    const origin = await serveHttp(
      (request, response) => void bridge(request, response, (web) => handler.fetch(web)),
    );
    const { client } = await inspectAt(`${origin}/mcp`);
    await client.connectedTwice();
    for (const era of ERAS) {
      const { id } = await client.command("call", { tool: "whisper", arguments: { text: "HI" }, era });
      expect(await client.call(id)).toMatchObject({ era, outcome: "ok" });
      expect(textOf((await client.detail(id)).result)).toBe("hi");
    }
  });
});

/** Passes a request of `node:http` to a function for web requests. */
async function bridge(
  request: IncomingMessage,
  response: ServerResponse,
  handle: (request: Request) => Promise<Response>,
): Promise<void> {
  const { method = "GET", url = "/", headers } = request;
  const body = method === "POST" ? await text(request) : undefined;
  const web = await handle(
    new Request(`http://${headers.host}${url}`, {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(body === undefined ? {} : { body }),
    }),
  );
  response.writeHead(web.status, Object.fromEntries(web.headers));
  for await (const chunk of web.body ?? []) response.write(chunk);
  response.end();
}

describe("a program over stdio", () => {
  test("of the official SDK is called, and prints to the log", async () => {
    const lines: string[] = [];
    const { client } = await inspectCommand([process.execPath, `${fixtures()}/sdk-v1-program.mjs`], lines);
    await client.connected();
    const [tool] = (await client.server()).tools;
    const { id } = await client.command("call", {
      tool: String(tool?.definition["name"]),
      arguments: { text: "hi" },
      era: "legacy",
    });
    await client.call(id);
    const { wire, snippets } = await client.detail(id);
    expect(wire.every(({ http }) => http === undefined)).toBe(true);
    expect(wire.map(({ direction }) => direction)).toEqual(["sent", "received"]);
    expect(snippets.curl).toBeUndefined();
    expect(snippets.cli).toContain(" -- ");
  });

  test("that exits is started again", async () => {
    const script = `
      import { defineServer } from "tenon";
      import { serveStdio } from "tenon/stdio";
      console.error("started");
      await serveStdio(defineServer({ name: "program", version: "1" })
        .tool("hi", { description: "Says hi", handler: () => "hi" })
        .tool("exit", { description: "Exits", handler: () => process.exit(3) }));`;
    const lines: string[] = [];
    const { client } = await inspectCommand([process.execPath, "--input-type=module", "-e", script], lines);
    await client.connectedTwice();
    const { id } = await client.command("call", { tool: "exit", arguments: {}, era: "modern" });
    expect(await client.call(id)).toMatchObject({
      outcome: "error",
      message: expect.stringContaining("exited with code 3"),
    });
    await client.until(
      () => (client.all("connection").at(-1)?.connection.status === "ready" ? true : undefined),
      "ready",
    );
    const again = await client.command("call", { tool: "hi", arguments: {}, era: "modern" });
    expect(await client.call(again.id)).toMatchObject({ outcome: "ok" });
    expect(lines).toContain("started");
  });

  test("that does not exist is explained", async () => {
    const { client } = await inspectCommand(["no-such-program-here"]);
    const state = await client.connected(({ status }) => status === "failed");
    expect(state.message).toBe(
      'Could not start "no-such-program-here": program not found. Check the name and your PATH.',
    );
  });
});
