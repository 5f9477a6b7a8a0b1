import { describe, expect, test } from "vitest";
import { attackWithSlowReaders } from "../../tools/attack/agent/slow-readers.js";
import { runHostile } from "../../tools/attack/hostile/run-hostile.js";
import { ATTACKS } from "../../tools/attack/memory/attacks.js";
import { HttpTarget } from "../../tools/attack/memory/target.js";

/** Address space in megabytes that docs/reliability.md names, besides that of a Node process that does nothing. */
const SPARE = { client: 700, server: 700, agent: 1_000 };

describe.skipIf(process.platform !== "linux")("with a limit of the address space (`ulimit -v`)", () => {
  test("an HTTP server with a heap of 128 MB serves its clients while others do not read", async () => {
    const target = await HttpTarget.start("serve", 128, SPARE.server);
    try {
      const attack = ATTACKS.find(({ name }) => name.includes("not reading"));
      expect(await attack?.http(target, { isShort: true })).toBeUndefined();
      expect([target.death, target.honest.failure]).toEqual([undefined, undefined]);
      expect(target.honest.answered).toBeGreaterThan(0);
    } finally {
      await target.stop();
    }
  }, 120_000);

  test("an agent server with a heap of 256 MB survives clients that do not read", async () => {
    expect((await attackWithSlowReaders(5, SPARE.agent)).connected).toBeGreaterThan(0);
  }, 240_000);

  test("`tenon list` with a heap of 128 MB rejects a list that is too large", async () => {
    const { message, exitCode } = await runHostile({
      behavior: "pages",
      mode: "http",
      action: "tenon list",
      heapMegabytes: 128,
      spareMegabytes: SPARE.client,
    });
    expect(message).toMatch(/tools\/list result is too large/);
    expect(exitCode).toBe(1);
  }, 120_000);
});
