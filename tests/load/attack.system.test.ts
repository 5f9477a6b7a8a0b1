import { expect, test } from "vitest";
import { runShort } from "./support/run-script.js";

test("no attack on a server succeeds (full run: npm run attack)", { timeout: 1_800_000 }, async () => {
  const { failed, stdout, code } = await runShort("attack");
  expect(failed, stdout).toEqual([]);
  expect(stdout).toContain("All limits hold.");
  expect(code).toBe(0);
});
