import { describe, expect, test } from "vitest";
import { countMisrouted, readIdleSessions, stopTwice, stopUnderLoad } from "../support/load.js";

describe("under load (in full: npm run load)", () => {
  test("clients that use the same ids get their own replies", async () => {
    expect(await countMisrouted({ clients: 20, calls: 50 })).toBe(0);
  });

  test("idle sessions are swept when their time has run out, and the heap comes back", async () => {
    const { before, withSessions, after, left } = await readIdleSessions(2_000);
    expect(left).toBe(0);
    expect(withSessions - before).toBeGreaterThan(0);
    expect(after - before).toBeLessThan((withSessions - before) / 4);
  });

  test("a server that is told to stop twice ends at once", async () => {
    expect(await stopTwice()).toEqual({ exitCode: 130, replied: false });
  });

  test("a server that is told to stop loses no call that it took", async () => {
    for (let round = 0; round < 2; round++) {
      const { finished, lost, exitCode } = await stopUnderLoad(20);
      expect(finished).toBeGreaterThan(20);
      expect(lost).toBe(0);
      expect(exitCode).toBe(0);
    }
  });
});
