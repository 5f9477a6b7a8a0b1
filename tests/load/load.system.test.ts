import { describe, expect, test } from "vitest";
import { readIdleSessions } from "../../tools/load/load.js";
import { readSharedSessions } from "../../tools/load/shared-sessions.js";
import { REDIS_INSTALL_MS } from "../../tools/redis-server.js";

describe("under load (full run: npm run load)", () => {
  test("idle sessions are removed after their timeout, and their memory is released", async () => {
    const { before, withSessions, after, left } = await readIdleSessions(2_000);
    expect(left).toBe(0);
    expect(withSessions - before).toBeGreaterThan(0);
    expect(after - before).toBeLessThan((withSessions - before) / 4);
  });

  test(
    "a node with Redis keeps no memory for idle sessions without open streams",
    { timeout: REDIS_INSTALL_MS + 600_000 },
    async () => {
      const { few, many, served, tried } = await readSharedSessions(2_000);
      expect(many - few).toBeLessThan(1024 ** 2);
      expect({ served, tried }).toEqual({ served: 200, tried: 200 });
    },
  );
});
