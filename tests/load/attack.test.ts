import { expect, test } from "vitest";
import { runAttack } from "../../tools/attack/run-attack.js";

// All attacks run in the system tier.
test.each([
  ["headers that do not match the body", "headers"],
  ["IDs of another principal", "foreign"],
  ["lock files with install scripts or foreign sources", "lockfile"],
])("an attack with %s does not succeed", { timeout: 300_000 }, async (_about, only) => {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  expect(await runAttack({ isShort: true, seed: 1, only, print }), lines.join("\n")).toBe(true);
});
