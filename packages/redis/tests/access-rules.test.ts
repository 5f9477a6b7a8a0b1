import { redis } from "@tenon/redis";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { Redis } from "ioredis";
import { readFileSync } from "node:fs";
import { defineServer } from "tenon";
import { serve } from "tenon/node";
import { idempotency } from "tenon/stores";
import { tasks } from "tenon/tasks";
import { createClient } from "tenon/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { REDIS_INSTALL_MS, type RedisServer, startRedis } from "../../../tools/redis-server.js";
import { noRedis } from "./support/fixture.js";

const guide = readFileSync(new URL("../../../docs/several-machines.md", import.meta.url), "utf8");
const [, rules = ""] = /^ACL SETUSER tenon on >the-password (.+)$/m.exec(guide) ?? [];

describe.skipIf(noRedis !== undefined)("the access rules in the guide", { timeout: 60_000 }, () => {
  let redisServer: RedisServer;
  let admin: Redis;
  beforeAll(async () => {
    redisServer = await startRedis();
    admin = new Redis(redisServer.url);
    await admin.call("ACL", "SETUSER", "tenon", "on", ">the-password", ...rules.split(" "));
  }, REDIS_INSTALL_MS);
  afterAll(async () => {
    admin.disconnect();
    await redisServer.stop();
  });

  const url = () => `redis://tenon:the-password@127.0.0.1:${redisServer.port}`;

  async function startNode(user = "tenon") {
    const store = redis({ url: url().replace("tenon", user) });
    const server = defineServer({ name: "limited", version: "1.0.0" })
      .extension(tasks())
      .use(idempotency({ store }))
      .resource("news", { uri: "test://news", handler: () => "news" })
      .tool("greet", { task: "optional", handler: () => "hello" })
      .build();
    const running = await serve(server, { port: 0, store, banner: false, signals: false });
    onTestFinished(() => running.close());
    return { server, url: new URL(running.url ?? "") };
  }

  test("are enough for sessions, subscriptions, and tasks", async () => {
    const [first, second] = await Promise.all([startNode(), startNode()]);
    const client = new Client({ name: "client", version: "1.0.0" });
    const updates: string[] = [];
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      updates.push(params.uri);
    });
    await client.connect(new StreamableHTTPClientTransport(first.url));
    onTestFinished(() => client.close());
    expect(await client.callTool({ name: "greet" })).toMatchObject({ content: [{ text: "hello" }] });
    await client.subscribeResource({ uri: "test://news" });
    void second.server.resourceUpdated("test://news");
    await expect.poll(() => updates).toEqual(["test://news"]);

    const inMemory = await createClient(second.server, { tasks: true });
    onTestFinished(() => inMemory.close());
    const task = await inMemory.startTask("greet", {});
    expect(await task.result()).toMatchObject({ content: [{ text: "hello" }] });
    expect(await admin.call("ACL", "LOG")).toEqual([]);
  });

  test("run tasks also without INFO", async () => {
    await admin.call("ACL", "SETUSER", "limited", "on", ">the-password", ...rules.split(" "), "-info");
    const { server } = await startNode("limited");
    const client = await createClient(server, { tasks: true });
    onTestFinished(() => client.close());
    const task = await client.startTask("greet", {});
    expect(await task.result()).toMatchObject({ content: [{ text: "hello" }] });
  });

  test("reject other keys, channels, and dangerous commands", async () => {
    const user = new Redis(url());
    onTestFinished(() => user.disconnect());
    await expect(user.set("other:key", "a")).rejects.toThrow("NOPERM");
    await expect(user.publish("other:channel", "a")).rejects.toThrow("NOPERM");
    await expect(user.flushall()).rejects.toThrow("NOPERM");
    await expect(user.keys("*")).rejects.toThrow("NOPERM");
  });
});
