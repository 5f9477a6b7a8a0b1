import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { allMessages, readEvents } from "../../../tests/support/http-events.js";
import { read } from "../../../tests/support/http-faces.js";
import { openSession } from "../../../tests/support/http-messages.js";
import { request } from "../../../tests/support/requests.js";
import { REDIS_INSTALL_MS } from "../../../tools/redis-server.js";
import { type RedisSentinels, startRedisSentinels } from "../../../tools/redis-sentinel.js";
import { moveTo } from "../../tenon/tests/support/session/shared/nodes.js";
import { noRedis, openTestStore } from "./support/fixture.js";
import { openNode } from "./support/versions/app.js";
import { createTask, getTask, resultOf, send, USER } from "./support/versions/client.js";

/** Time for the Sentinels to choose another primary, and for all connections to follow. */
const PATIENCE = { timeout: 40_000, interval: 100 };

describe.skipIf(noRedis !== undefined)("the store behind Redis Sentinels", { timeout: 120_000 }, () => {
  let sentinels: RedisSentinels;
  beforeEach(async () => {
    sentinels = await startRedisSentinels();
    return () => sentinels.stop();
  }, REDIS_INSTALL_MS);

  /** Ends the primary, after its replica has received everything. */
  async function failOver() {
    const client = new Redis(sentinels.primary.url);
    // Waits for this write, which comes after all others.
    await client.set("last write", "");
    expect(await client.wait(1, 10_000)).toBe(1);
    client.disconnect();
    await sentinels.primary.kill();
  }

  test("finds the primary by its URL, and follows it when another Redis becomes the primary", async () => {
    const store = await openTestStore({ url: sentinels.url, prefix: "failover" });
    const heard: string[] = [];
    await store.bus.subscribe("news", (message) => void heard.push(message));
    await store.values.set("before", "kept");
    await store.ping();
    await failOver();
    await expect.poll(() => store.ping().then(() => "works"), PATIENCE).toBe("works");
    expect((await store.values.get("before"))?.value).toBe("kept");
    await store.values.set("after", "stored");
    expect((await store.values.get("after"))?.value).toBe("stored");
    await expect
      .poll(async () => {
        await store.bus.publish("news", "back");
        return heard.length;
      })
      .toBeGreaterThan(0);
  });

  test("sessions, subscriptions, and tasks go on after the primary has failed", async () => {
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const options = { url: sentinels.url, prefix: randomUUID(), name: "node", until };
    const [a, b] = [await openNode(options), await openNode(options)];
    for (const { endpoint } of [a, b]) onTestFinished(() => endpoint.close());
    const session = await openSession(a.endpoint, { headers: USER });
    await read(await session.post(request("resources/subscribe", { uri: "test://note" })));
    const stream = readEvents(await moveTo(b, session).get());
    const [running, asking] = [
      await createTask(a.endpoint, "careful"),
      await createTask(a.endpoint, "greet"),
    ];
    const isStarted = async () => (await getTask(b.endpoint, asking))["status"];
    await expect.poll(isStarted, PATIENCE).toBe("input_required");
    const pay = async () => {
      const key = { "idempotency-key": "key" };
      return resultOf(await send(b.endpoint, "tools/call", { name: "pay", arguments: {} }, key));
    };
    const paid = await pay();
    await failOver();

    // The change waits for the new primary.
    await a.server.resourceUpdated("test://note");
    const messages = async () => {
      for (;;) {
        const { method, params } = await stream.message();
        if (method === "notifications/resources/updated") return params;
      }
    };
    expect(await messages()).toEqual({ uri: "test://note" });
    for (const node of [a, b])
      expect(await allMessages(await moveTo(node, session).call("count", { to: 2 }))).toHaveLength(3);
    expect(await pay()).toEqual(paid);
    const answer = { name: { action: "accept", content: { name: "Ada" } } };
    resultOf(await send(b.endpoint, "tasks/update", { taskId: asking, inputResponses: answer }));
    release();
    for (const [taskId, result] of [
      [running, "node"],
      [asking, "node Ada"],
    ] as const)
      await expect
        .poll(() => getTask(a.endpoint, taskId), PATIENCE)
        .toMatchObject({ status: "completed", result: { content: [{ text: result }] } });
  });
});
