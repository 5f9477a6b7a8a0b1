import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { fitSlope } from "../../tools/soak/judge.js";
import { ROOT } from "../support/source-files.js";

/** Runs the short form. Returns the exit code, the failed rows, and the whole output. */
async function soak(...options: readonly string[]) {
  const script = ["--import", "tsx", "scripts/soak.ts", "--short", "--seed", "1", ...options];
  const run = promisify(execFile)(process.execPath, script, { cwd: ROOT });
  const { stdout, code = 0 } = (await run.catch(
    (error: { readonly stdout: string; readonly code: number }) => ({
      stdout: error.stdout,
      code: error.code,
    }),
  )) as { readonly stdout: string; readonly code?: number };
  const failed = stdout
    .split("\n")
    .filter((line) => line.startsWith("FAIL"))
    .map((line) => line.split(/\s{2,}/)[2]);
  return { code, failed, stdout };
}

describe("under mixed load (full run: npm run soak)", () => {
  test("no response is lost, and nothing is left when the load stops", { timeout: 600_000 }, async () => {
    const { code, failed, stdout } = await soak();
    expect(failed, stdout).toEqual([]);
    expect(code, stdout).toBe(0);
    expect(stdout).toContain("All limits hold.");
  });

  test(
    "leaked connections, timers, listeners, and memory, and lost responses are found",
    { timeout: 600_000 },
    async () => {
      const faults = ["session", "handle", "timer", "listener", "reply", "heap"].flatMap((name) => [
        "--break",
        name,
      ]);
      const { code, failed, stdout } = await soak("--only", "memory", ...faults);
      expect(failed, stdout).toEqual(
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

describe("the slope of the heap", () => {
  test("is the slope of the least-squares line, with its confidence margin", () => {
    const { perMinute, margin } = fitSlope([
      [0, 100],
      [1, 140],
      [2, 140],
      [3, 180],
    ]);
    expect(perMinute).toBeCloseTo(24, 10);
    // Student's t distribution with two degrees of freedom: 4.303 standard errors of 5.657.
    expect(margin).toBeGreaterThan(22);
    expect(margin).toBeLessThan(26);
  });

  test("has no margin for points on a line, and an infinite one for two points", () => {
    const line = Array.from({ length: 12 }, (_, index) => [index, 1_000 + 3 * index] as const);
    expect(fitSlope(line).perMinute).toBeCloseTo(3, 10);
    expect(fitSlope(line).margin).toBeCloseTo(0, 6);
    expect(fitSlope(line.slice(0, 2)).margin).toBe(Infinity);
  });
});
