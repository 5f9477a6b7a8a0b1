import { describe, expect, test } from "vitest";
import { checkServer, type Link } from "../src/connection/index.js";

/** Imitates servers that the tests cannot install: old versions and Valkey. */
function createLink(info: string): Link {
  const replies = [info, ["save", "3600 1"]];
  // Safe: `checkServer` uses only `run`.
  return { run: async () => replies.shift() } as unknown as Link;
}

async function check(info: string): Promise<readonly string[]> {
  const warnings: string[] = [];
  await checkServer(createLink(info), "Redis at a:1", (warning) => warnings.push(warning));
  return warnings;
}

describe("the check of the server", () => {
  test.each(["2.8.0", "6.2.14"])("version %s is rejected", async (version) => {
    await expect(check(`# Server\r\nredis_version:${version}\r\n`)).rejects.toThrow(
      `Redis at a:1 has version ${version}. Redis or Valkey 7 or newer is required.`,
    );
  });

  test.each([
    "redis_version:7.0.0\r\nmaxmemory_policy:noeviction\r\naof_enabled:1",
    "redis_version:7.2.4\r\nvalkey_version:8.1.0\r\nmaxmemory_policy:noeviction\r\naof_enabled:1",
    "redis_version:10.0.0\r\n",
  ])("%j is accepted without warnings", async (info) => {
    expect(await check(info)).toEqual([]);
  });

  test("every problem causes a warning", async () => {
    const info = "redis_version:7.0.0\r\nmaxmemory_policy:volatile-lru\r\naof_enabled:0";
    expect(await check(info)).toEqual([
      "Redis at a:1 evicts keys when its memory is full (maxmemory-policy: volatile-lru). " +
        "Sessions and tasks can be lost. Set `maxmemory-policy noeviction`.",
      "Redis at a:1 writes its data to disk only from time to time. A crash loses the latest changes. " +
        "Set `appendonly yes`.",
    ]);
  });
});
