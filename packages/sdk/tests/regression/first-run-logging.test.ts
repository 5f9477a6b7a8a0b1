import { type LogEntry, McpError } from "tenon";
import { createClient } from "tenon/testing";
import { describe, expect, test, vi } from "vitest";
import { McpServer, type McpServerOptions, ResourceTemplate } from "../../src/index.js";

/** Under a transport, the operator of an `McpServer` saw nothing of a callback that failed. */

const fail = (message: string): never => {
  throw new Error(message);
};

function failing(options?: McpServerOptions): McpServer {
  const server = new McpServer({ name: "failing", version: "1.0.0" }, options);
  server.registerTool("boom", {}, () => fail("no tool"));
  server.registerTool("told", {}, () => {
    throw new McpError("NOT_FOUND", "meant for the client");
  });
  server.registerResource("r", "a://r", {}, () => fail("no resource"));
  server.registerResource("rt", new ResourceTemplate("a://t/{x}", { list: () => fail("no list") }), {}, () =>
    fail("no template"),
  );
  server.registerPrompt("p", {}, () => fail("no prompt"));
  server.server.setRequestHandler("ledger/balance", () => fail("no balance"));
  server.server.setNotificationHandler("notifications/ledger", () => fail("no notification"));
  return server;
}

async function send(server: McpServer, message: { readonly method: string; readonly params?: object }) {
  const { method, params = {} } = message;
  const isNotification = method.startsWith("notifications/");
  const id = isNotification ? {} : { id: 1 };
  return server.build().handle({ jsonrpc: "2.0", ...id, method, params: { ...params } }, undefined);
}

const CASES = [
  ["tools/call", { name: "boom" }, "boom", "no tool"],
  ["resources/read", { uri: "a://r" }, "r", "no resource"],
  ["resources/read", { uri: "a://t/1" }, "rt", "no template"],
  ["resources/list", {}, "resources/list", "no list"],
  ["prompts/get", { name: "p" }, "p", "no prompt"],
  ["ledger/balance", {}, "ledger/balance", "no balance"],
  ["notifications/ledger", {}, "notifications/ledger", "no notification"],
] as const;

describe("first-run-a1: a failed callback of McpServer", () => {
  test.each(CASES)("%s %o reaches the log of the transport", async (method, params, name, message) => {
    const entries: LogEntry[] = [];
    const server = failing();
    server.build().useLog((entry) => void entries.push(entry));
    await send(server, { method, params });
    await vi.waitFor(() =>
      expect(entries).toMatchObject([
        { level: "error", event: "handler-failed", operation: method, name, error: { message } },
      ]),
    );
  });

  test.each(CASES)("%s %o reaches the server's own log instead", async (method, params, name, message) => {
    const [own, transport]: [LogEntry[], LogEntry[]] = [[], []];
    const server = failing({ log: (entry) => void own.push(entry) });
    server.build().useLog((entry) => void transport.push(entry));
    await send(server, { method, params });
    await vi.waitFor(() => expect(own).toMatchObject([{ name, error: { message } }]));
    expect(transport).toEqual([]);
  });

  test("is not logged if its message is meant for the client", async () => {
    const entries: LogEntry[] = [];
    const server = failing();
    server.build().useLog((entry) => void entries.push(entry));
    expect(await (await createClient(server.build())).callTool("told")).toMatchObject({ isError: true });
    expect(entries.filter(({ level }) => level === "error")).toEqual([]);
  });

  test("outside a request goes to onerror if the application sets it", async () => {
    const entries: LogEntry[] = [];
    const heard: Error[] = [];
    const server = failing();
    server.build().useLog((entry) => void entries.push(entry));
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the server is not an event target
    server.server.onerror = (error) => void heard.push(error);
    await send(server, { method: "notifications/ledger" });
    await vi.waitFor(() => expect(heard).toMatchObject([{ cause: { message: "no notification" } }]));
    expect(entries).toEqual([]);
  });

  test("is not affected by a log that throws", async () => {
    const server = failing({ log: () => fail("the disk is full") });
    const reply = await send(server, { method: "ledger/balance" });
    expect(JSON.parse(reply.toText())).toMatchObject({ error: { message: "no balance" } });
  });
});
