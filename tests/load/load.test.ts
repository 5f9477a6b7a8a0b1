import { describe, expect, test } from "vitest";
import { countMisrouted, stopTwice, stopUnderLoad } from "../../tools/load/load.js";

describe("under load (full run: npm run load)", () => {
  test("clients that use the same IDs each receive their own replies", async () => {
    expect(await countMisrouted({ clients: 20, calls: 50 })).toBe(0);
  });

  test("a second stop signal ends the server immediately", async () => {
    expect(await stopTwice()).toEqual({ exitCode: 130, replied: false });
  });

  test("a server that stops responds to every call in flight", async () => {
    const { finished, lost, exitCode } = await stopUnderLoad(20);
    expect(finished).toBeGreaterThan(20);
    expect({ lost, exitCode }).toEqual({ lost: 0, exitCode: 0 });
  });
});
