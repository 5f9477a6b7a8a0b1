import { describe, expect, test } from "vitest";
import { runShort } from "./support/run-script.js";

describe("under mixed load (full run: npm run soak)", () => {
  test("no response is lost, and nothing is left when the load stops", { timeout: 1_800_000 }, async () => {
    const { code, failed, stdout } = await runShort("soak");
    expect(failed, stdout).toEqual([]);
    expect(code, stdout).toBe(0);
    expect(stdout).toContain("All limits hold.");
  });

  test(
    "leaked connections, timers, listeners, and memory, and lost responses are found",
    { timeout: 1_800_000 },
    async () => {
      const faults = ["session", "handle", "timer", "listener", "reply", "heap"].flatMap((name) => [
        "--break",
        name,
      ]);
      const { code, failed, stdout } = await runShort("soak", "--only", "memory", ...faults);
      // The columns of a line are the verdict, the scenario, and the name of the figure.
      expect(
        failed.map((line) => line.split(/\s{2,}/)[2]),
        stdout,
      ).toEqual(
        expect.arrayContaining([
          "lost or wrong responses, and other errors",
          "heap growth",
          "handles left",
          "timers left",
          "listeners left",
          "MCP connections left",
        ]),
      );
      expect(code).toBe(1);
    },
  );
});
