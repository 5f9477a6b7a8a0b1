import { expect, test } from "vitest";
import { runAttack } from "../../../../tools/attack/run-attack.js";

test("clients that do not read, or that send large messages, do not fill the memory of the server", async () => {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  expect(await runAttack({ isShort: true, seed: 1, only: "agent", print }), lines.join("\n")).toBe(true);
}, 240_000);
