import { describe, expect, test } from "vitest";
import { REDIS_INSTALL_MS } from "../../tools/redis-server.js";
import { readSharedSessions } from "../support/load-shared.js";
import { countMisrouted, readIdleSessions, stopTwice, stopUnderLoad } from "../support/load.js";

describe("under load (full run: npm run load)", () => {
  test("clients that use the same IDs each receive their own replies", async () => {
    expect(await countMisrouted({ clients: 20, calls: 50 })).toBe(0);
  });

  test("idle sessions are removed after their timeout, and their memory is released", async () => {
    const { before, withSessions, after, left } = await readIdleSessions(2_000);
    expect(left).toBe(0);
    expect(withSessions - before).toBeGreaterThan(0);
    expect(after - before).toBeLessThan((withSessions - before) / 4);
  });

  test(
    "a node with Redis keeps no memory for idle sessions without open streams",
    { timeout: REDIS_INSTALL_MS + 120_000 },
    async () => {
      const { few, many, served, tried } = await readSharedSessions(2_000);
      expect(many - few).toBeLessThan(1024 ** 2);
      expect({ served, tried }).toEqual({ served: 200, tried: 200 });
    },
  );

  test("a second stop signal ends the server immediately", async () => {
    expect(await stopTwice()).toEqual({ exitCode: 130, replied: false });
  });

  test("a server that stops responds to every call in flight", async () => {
    for (let round = 0; round < 2; round++) {
      const { finished, lost, exitCode } = await stopUnderLoad(20);
      expect(finished).toBeGreaterThan(20);
      expect(lost).toBe(0);
      expect(exitCode).toBe(0);
    }
  });
});
