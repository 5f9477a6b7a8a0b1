import { expect, test, vi } from "vitest";
import type { Call } from "../../src/core/call/call.js";
import { defineServer } from "../../src/core/define-server.js";
import { createClient } from "../../src/testing/index.js";
import { createRegistry } from "../support/grouped/attach-registry.js";

const INFO = { name: "ours", version: "1.0.0" };

/** Creates a Tenon server with one tool, and a client that connects before anything is attached. */
async function connect() {
  const server = defineServer<{ readonly user: string }>(INFO)
    .tool("ping", { handler: () => "pong" })
    .build();
  const client = await createClient(server, { context: { user: "ada" } });
  const names = async () => (await client.listTools()).map(({ name }) => name);
  const call = (name: string, args: Readonly<Record<string, unknown>> = {}) =>
    client.request("tools/call", { name, arguments: args });
  const heard = () => client.notifications.map(({ method }) => method);
  return { server, client, names, call, heard };
}

const CHANGED = "notifications/tools/list_changed";

test("F68: a connected Tenon server adds the tools to its own and notifies clients", async () => {
  const { registry } = createRegistry();
  const { server, client, names, call, heard } = await connect();
  registry.attachToServer(server);
  expect(await names()).toEqual(["ping", "platform", "admin"]);
  expect((await client.listTools()).slice(1)).toEqual(registry.getAllTools());
  expect(await call("platform", { action: "users.create", name: "Ada" })).toEqual({
    content: [{ type: "text", text: '{\n  "id": 1,\n  "name": "Ada"\n}' }],
  });
  expect(heard()).toEqual([CHANGED]);
});

test("F71: detaching removes the tools and notifies clients, and the server's own tools stay", async () => {
  const { registry } = createRegistry();
  const { server, names, call, heard } = await connect();
  const detach = registry.attachToServer(server);
  detach();
  detach();
  expect(await names()).toEqual(["ping"]);
  expect(heard()).toEqual([CHANGED, CHANGED]);
  await expect(call("admin", { action: "wipe" })).rejects.toMatchObject({
    code: -32601,
    message: "Unknown tool: admin",
  });
  registry.attachToServer(server);
  expect(await names()).toEqual(["ping", "platform", "admin"]);
});

test("detaching removes the remaining tools, but not other tools with the same names", async () => {
  const { registry } = createRegistry();
  const { server, names, call } = await connect();
  const detach = registry.attachToServer(server);
  server.update((editor) => editor.removeTool("admin"));
  server.update((editor) => editor.tool("admin", { handler: () => "another" }));
  detach();
  expect(await names()).toEqual(["ping", "admin"]);
  expect(await call("admin")).toEqual({ content: [{ type: "text", text: "another" }] });
});

test("F17: filtered tools are hidden and rejected", async () => {
  const { registry, seen } = createRegistry();
  const { server, names, call } = await connect();
  registry.attachToServer(server, { filter: { exclude: ["internal"] } });
  expect(await names()).toEqual(["ping", "platform"]);
  await expect(call("admin", { action: "wipe" })).rejects.toMatchObject({ code: -32601 });
  expect(seen.wiped).toEqual([]);
});

test("a server view also filters attached tools by tag", async () => {
  const { registry, seen } = createRegistry();
  const { server } = await connect();
  const view = server.view({ exclude: ["internal"] });
  registry.attachToServer(server);
  const client = await createClient(view, { context: { user: "ada" } });
  expect((await client.listTools()).map(({ name }) => name)).toEqual(["ping", "platform"]);
  await expect(
    client.request("tools/call", { name: "admin", arguments: { action: "wipe" } }),
  ).rejects.toMatchObject({ code: -32601 });
  expect(seen.wiped).toEqual([]);
});

test("contextFactory receives the call, and without it, handlers receive the server's own context", async () => {
  const { registry, seen } = createRegistry();
  const { server, call } = await connect();
  const detach = registry.attachToServer(server);
  await call("platform", { action: "users.create", name: "Ada" });
  detach();
  const contextFactory = vi.fn(async (extra: unknown) => {
    const { context } = extra as Call<{ readonly user: string }>; // of the server above
    return { asked: context.user };
  });
  registry.attachToServer(server, { contextFactory });
  await call("platform", { action: "users.create", name: "Ada" });
  expect(seen.contexts).toEqual([{ user: "ada" }, { asked: "ada" }]);
  expect(contextFactory.mock.calls[0]?.[0]).toMatchObject({ signal: expect.any(AbortSignal) as AbortSignal });
});

test("a contextFactory that fails is reported like any failure, without its message", async () => {
  const { registry, seen } = createRegistry();
  const { server, call } = await connect();
  registry.attachToServer(server, {
    contextFactory: () => {
      throw new Error("postgres://secret");
    },
  });
  expect(await call("admin", { action: "wipe" })).toEqual({
    content: [{ type: "text", text: "Tool admin failed" }],
    isError: true,
  });
  expect(seen.wiped).toEqual([]);
});

test("expose: flat serves each action as a separate tool, and detach removes all of them", async () => {
  const { registry } = createRegistry();
  const { server, names, call } = await connect();
  const detach = registry.attachToServer(server, { expose: "flat" });
  expect(await names()).toEqual(["ping", "platform_users_create", "platform_billing_refund", "admin_wipe"]);
  expect(await call("admin_wipe")).toEqual({ content: [{ type: "text", text: "gone" }] });
  detach();
  expect(await names()).toEqual(["ping"]);
});

test("a name that is taken rejects the whole registry: nothing is attached", async () => {
  const { registry } = createRegistry();
  const { server, names, heard } = await connect();
  server.update((editor) => editor.tool("admin", { handler: () => "mine" }));
  expect(() => registry.attachToServer(server)).toThrow(/admin/);
  expect(await names()).toEqual(["ping", "admin"]);
  expect(heard()).toEqual([CHANGED]);
});
