import { expect, test } from "vitest";
import { runShort } from "./support/run-script.js";

test(
  "10,000 hostile frames over every transport crash nothing, and each ID gets one correct reply (full run: npm run fuzz)",
  { timeout: 1_800_000 },
  async () => {
    const { failed, stdout, stderr, code } = await runShort("fuzz");
    expect(failed, stdout).toEqual([]);
    expect(stdout, stderr).toContain("All promises hold.");
    expect(code).toBe(0);
  },
);
