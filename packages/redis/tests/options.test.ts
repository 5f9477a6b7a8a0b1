import { redis, type RedisOptions } from "@tenon/redis";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import {
  createCommandClient,
  createSubscriptionClient,
  createWorkerClient,
} from "../src/connection/index.js";
import { parseRedisOptions } from "../src/options.js";

const SECRET = "s".repeat(32);

describe("the options of redis", () => {
  test.each<[options: RedisOptions, name: string]>([
    [{ url: "redis://127.0.0.1" }, "Redis at 127.0.0.1:6379"],
    [{ url: "redis://ada:lovelace@example.com:7000/3" }, "Redis at example.com:7000"],
    [{ url: "rediss://:lovelace@[::1]:7000", tls: { ca: "…" } }, "Redis at [::1]:7000"],
    [{ url: "/run/redis.sock", password: "lovelace" }, "Redis at /run/redis.sock"],
    [{ cluster: [{ host: "a" }, { host: "b", port: 7001 }] }, "Redis at a:6379, b:7001"],
    [
      { url: "redis+sentinel://ada:lovelace@a,[::1]:7001/main", sentinelPassword: "lovelace" },
      "Redis at main (Sentinels: a:26379, [::1]:7001)",
    ],
  ])("%o are accepted, and the name contains no credentials", (options, name) => {
    const store = redis({ ...options, keys: [SECRET] });
    expect(store.name).toBe(name);
    expect(inspect(store, { depth: 10 })).not.toContain("lovelace");
  });

  test.each<[options: unknown, message: string]>([
    [{}, "redis: Set `url` (or `cluster` for a Redis Cluster)."],
    [{ uri: "redis://x" }, "redis: unknown option `uri`. Did you mean `url`?"],
    [
      { url: "http://ada:lovelace@x" },
      "redis: `url` must be a URL such as `redis://127.0.0.1:6379`, or the absolute path of a Unix socket; got another text.",
    ],
    [
      { url: 1 },
      "redis: `url` must be a URL such as `redis://127.0.0.1:6379`, or the absolute path of a Unix socket; got a number.",
    ],
    [
      { url: "redis://x?password=lovelace" },
      "redis: `url` must not contain a query. Pass the options of `redis` instead.",
    ],
    [{ url: "redis://x/main" }, 'redis: the path of `url` must be a database number; got "main".'],
    [
      { url: "redis://x", cluster: [{ host: "x" }] },
      "redis: `url` and `cluster` exclude each other. Remove one of them.",
    ],
    [{ cluster: [] }, "redis: `cluster` must be an array of nodes; got an array."],
    [{ cluster: [{ port: 1 }] }, "redis: every node in `cluster` must be an object with a `host`."],
    [{ cluster: [{ host: "a", port: 0 }] }, "redis: `cluster[].port` must be a positive integer; got 0."],
    [{ url: "redis://x", password: 5 }, "redis: `password` must be a non-empty string; got a number."],
    [
      { url: "rediss://x", tls: false },
      "redis: `tls` must be true or TLS options for this `url`; got false.",
    ],
    [
      { url: "redis://x", prefix: "{a}" },
      'redis: `prefix` must be 1 to 100 letters, digits, and the characters `_ . : -`; got "{a}".',
    ],
    [{ url: "redis://x", keys: [] }, "redis: `keys` must be an array of secrets; got an array."],
    [
      { url: "redis://x", keys: ["short"] },
      "redis: every key in `keys` must be at least 32 bytes long; got 5.",
    ],
    [
      { url: "redis://x", keys: [1] },
      "redis: every key in `keys` must be a string or a Uint8Array; got a number.",
    ],
    [{ url: "redis://x", maxSessions: 0 }, "redis: `maxSessions` must be a positive integer; got 0."],
    [
      { url: "redis://x", commandTimeoutMs: "2s" },
      'redis: `commandTimeoutMs` must be a positive integer (milliseconds); got "2s".',
    ],
    [
      { url: "redis://x", events: { maxEvents: 1.5 } },
      "redis: `events.maxEvents` must be a positive integer; got 1.5.",
    ],
    [
      { url: "redis://x", events: { ttl: 1 } },
      "redis: `events`: unknown option `ttl`. Did you mean `ttlMs`?",
    ],
  ])("%o are rejected with the reason", (options, message) => {
    // Safe: invalid options on purpose.
    expect(() => redis(options as RedisOptions)).toThrow(new TypeError(message));
  });
});

describe("a URL with Sentinels", () => {
  const clientOptions = (options: RedisOptions) => createCommandClient(parseRedisOptions(options)).options;

  test.each<[url: string, expected: object]>([
    [
      "redis+sentinel://a/main",
      { sentinels: [{ host: "a", port: 26_379 }], name: "main", db: 0, username: null, password: null },
    ],
    [
      "redis+sentinel://ada:l%40ve%2Flace@a:1,b.example.com,10.0.0.1:2/my%20main/3/",
      {
        sentinels: [
          { host: "a", port: 1 },
          { host: "b.example.com", port: 26_379 },
          { host: "10.0.0.1", port: 2 },
        ],
        name: "my main",
        db: 3,
        username: "ada",
        password: "l@ve/lace",
      },
    ],
    [
      "redis+sentinel://:only:password@[::1]:1,[fe80::1]/main",
      {
        sentinels: [
          { host: "::1", port: 1 },
          { host: "fe80::1", port: 26_379 },
        ],
        username: null,
        password: "only:password",
      },
    ],
    ["redis+sentinel://ada@a/main", { username: "ada", password: null }],
  ])("%s is taken apart", (url, expected) => {
    expect(clientOptions({ url })).toMatchObject(expected);
    expect(createSubscriptionClient(parseRedisOptions({ url })).options).toMatchObject(expected);
    expect(createWorkerClient(parseRedisOptions({ url })).options).toMatchObject(expected);
  });

  test("uses TLS for the primary and for the Sentinels with `rediss+sentinel://`, or with `tls`", () => {
    const tls = { ca: "…" };
    const url = "rediss+sentinel://a/main";
    const encrypted = { enableTLSForSentinelMode: true };
    expect(clientOptions({ url })).toMatchObject({ ...encrypted, tls: {}, sentinelTLS: {} });
    expect(clientOptions({ url, tls })).toMatchObject({ ...encrypted, tls, sentinelTLS: tls });
    expect(clientOptions({ url: "redis+sentinel://a/main", tls })).toMatchObject({ ...encrypted, tls });
    expect(clientOptions({ url: "redis+sentinel://a/main" })).not.toHaveProperty("tls.ca");
  });

  test("has credentials for the primary only, and `sentinelPassword` is for the Sentinels", () => {
    const options = { url: "redis+sentinel://ada:lovelace@a/main", sentinelPassword: "other" };
    expect(clientOptions(options)).toMatchObject({ password: "lovelace", sentinelPassword: "other" });
    expect(clientOptions({ url: options.url })).not.toHaveProperty("sentinelPassword", "other");
    expect(clientOptions({ ...options, username: "eve", password: "changed" })).toMatchObject({
      username: "eve",
      password: "changed",
    });
  });

  test.each([
    "redis+sentinel://ada:lovelace@a:1,b:2",
    "redis+sentinel://ada:lovelace@a:1/",
    "redis+sentinel://ada:lovelace@/main",
    "redis+sentinel:ada:lovelace@a/main",
    "redis+sentinel://ada:lovelace@a/main?db=1",
    "redis+sentinel://ada:lovelace@a/main#1",
    "redis+sentinel://ada:lovelace@a/main/first",
    "redis+sentinel://ada:lovelace@a/main/1/2",
    "redis+sentinel://ada:lovelace@a/ma in",
    "redis+sentinel://ada:love/lace@a/main",
    "redis+sentinel://ada:love@lace@a/main",
  ])("%s is rejected with the form that it must have", (url) => {
    expect(() => redis({ url })).toThrow(
      new TypeError(
        "redis: a `url` with Sentinels must be `redis+sentinel://user:password@host:26379,other:26379/name/0`. The " +
          "credentials (of Redis, percent-encoded), the ports, and the number of the database are optional. The name of " +
          "the primary is required.",
      ),
    );
  });

  test.each(["a:99999", "a:0", "a:x", "a,", "a,,b", "::1", "a b"])(
    "the Sentinels %s are rejected",
    (hosts) => {
      expect(() => redis({ url: `redis+sentinel://ada:lovelace@${hosts}/main` })).toThrow(
        new TypeError("redis: every Sentinel in `url` must be a host and a port."),
      );
    },
  );
});
