import { redis, type RedisOptions } from "@tenon/redis";
import { Redis } from "ioredis";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createCertificates } from "../../../tools/certificates.js";
import { REDIS_INSTALL_MS, type RedisServer, startRedis } from "../../../tools/redis-server.js";
import { findFreePort } from "../../../tools/server-process.js";
import { noRedis, openStore, openTestStore } from "./support/fixture.js";

const PASSWORD = "correct horse/battery";

describe.skipIf(noRedis !== undefined)("access to Redis", { timeout: 60_000 }, () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis({ password: PASSWORD });
  }, REDIS_INSTALL_MS);
  afterAll(() => server.stop());

  /** Returns the error of `open`. */
  async function failToOpen(options: RedisOptions): Promise<Error> {
    const store = redis(options);
    const error: unknown = await store.open(() => undefined).catch((reason: unknown) => reason);
    if (error instanceof Error) return error;
    throw new Error("The store was opened.");
  }

  test("a password is accepted in the URL or as an option", async () => {
    await (await openTestStore({ url: server.url })).ping();
    await (await openTestStore({ url: `redis://127.0.0.1:${server.port}`, password: PASSWORD })).ping();
  });

  test.each([
    {
      title: "a wrong password",
      login: "wrong",
      reason: "WRONGPASS invalid username-password pair or user is disabled",
    },
    { title: "no password", login: undefined, reason: "NOAUTH" },
  ])(
    "with $title, opening fails immediately, with an error without credentials",
    async ({ login, reason }) => {
      const error = await failToOpen({
        url: `redis://127.0.0.1:${server.port}`,
        connectTimeoutMs: 600_000,
        ...(login === undefined ? {} : { username: "ada", password: login }),
      });
      expect(error.message).toContain(`Redis at 127.0.0.1:${server.port} is not available: ${reason}`);
      expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/wrong|ada/);
    },
  );

  test("an unreachable Redis is reported in one sentence without credentials", async () => {
    const port = await findFreePort("127.0.0.1");
    const error = await failToOpen({ url: `redis://ada:lovelace@127.0.0.1:${port}`, connectTimeoutMs: 100 });
    expect(error.message).toBe(`Redis at 127.0.0.1:${port} is not available: ECONNREFUSED.`);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/lovelace|ada/);
  });

  test("a user who may use only its own keys, channels, and the necessary commands is enough", async () => {
    const admin = new Redis(server.url);
    onTestFinished(() => admin.disconnect());
    const rights = "~limited:* &limited:* -@all +@read +@write +@pubsub +@scripting -@dangerous".split(" ");
    const connection = ["+hello", "+ping", "+client|setname", "+time"];
    await admin.call("ACL", "SETUSER", "tenon", "on", ">pw", ...rights, ...connection);
    const { store, warnings, close } = await openStore({
      url: `redis://tenon:pw@127.0.0.1:${server.port}`,
      prefix: "limited",
    });
    onTestFinished(close);
    expect(warnings).toEqual([
      `Could not check the settings of Redis at 127.0.0.1:${server.port}: the user is not allowed to run INFO.`,
    ]);
    const heard: string[] = [];
    await store.bus.subscribe("news", (message) => void heard.push(message));
    await store.values.set("key", "a");
    expect(await store.sessions.compareAndSet("key", null, { value: "b", ttlMs: 60_000 })).toBe(true);
    expect(await store.sessions.touch("key", 60_000)).toBe(true);
    await store.events.append("stream", "c");
    await store.bus.publish("news", "d");
    await expect.poll(() => heard).toEqual(["d"]);

    const denied = await openTestStore({ url: `redis://tenon:pw@127.0.0.1:${server.port}`, prefix: "other" });
    const rejected = new RegExp(`^Redis at 127\\.0\\.0\\.1:${server.port} rejected a command: .*permissions`);
    await expect(denied.values.set("key", "a")).rejects.toThrow(rejected);
    await expect(denied.events.append("stream", "a")).rejects.toThrow(rejected);
    await expect(denied.bus.subscribe("news", () => undefined)).rejects.toThrow(rejected);
  });

  test("TLS is used with a trusted certificate, and rejected with an unknown one", async () => {
    const port = await findFreePort("127.0.0.1");
    const { key, cert, ca } = await createCertificates(server.folder);
    const args = ["--tls-port", String(port), "--tls-cert-file", cert, "--tls-key-file", key];
    const secure = await startRedis({ args: [...args, "--tls-auth-clients", "no"] });
    onTestFinished(() => secure.stop());
    const url = `rediss://127.0.0.1:${port}`;
    const store = await openTestStore({ url, tls: { ca } });
    await store.values.set("key", "encrypted");
    expect((await store.values.get("key"))?.value).toBe("encrypted");
    const error = await failToOpen({ url, connectTimeoutMs: 600_000 });
    expect(error.message).toBe(
      `Redis at 127.0.0.1:${port} is not available: UNABLE_TO_VERIFY_LEAF_SIGNATURE.`,
    );
  });
});
