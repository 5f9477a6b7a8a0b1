import { spawn } from "node:child_process";
import { once } from "node:events";
import { randomInt } from "node:crypto";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { compileProgram } from "../../../../tools/compile-program.js";
import { ROOT } from "../../../../tools/source-files.js";
import { makeFolder, openStore, openTask } from "../support/storage/folders.js";

const CHILD = fileURLToPath(new URL("../support/storage/crash-child.ts", import.meta.url));
const REPEATS = Number(process.env["CRASH_REPEATS"] ?? 3);
const MAX_BYTES = 512 * 1024 * 1024;

/** Runs the child until it has printed some numbers, kills it shortly after, and returns all printed numbers. */
async function runAndKill(folder: string): Promise<readonly number[]> {
  const child = spawn(process.execPath, [compileProgram(CHILD), folder, "100"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const said: number[] = [];
  const enough = randomInt(1, 1500);
  const closed = once(child, "close");
  createInterface({ input: child.stdout }).on("line", (line) => {
    said.push(Number(line));
    if (said.length === enough) setTimeout(() => child.kill("SIGKILL"), randomInt(0, 20));
  });
  const [, signal] = (await closed) as [number | null, string | null];
  expect(signal).toBe("SIGKILL");
  return said;
}

test(
  `no acknowledged message is lost when the process is killed (${REPEATS} runs on one log)`,
  async () => {
    const folder = makeFolder();
    let before = 0;
    for (let kill = 1; kill <= REPEATS; kill++) {
      const said = await runAndKill(folder);
      const { store, warnings } = openStore(folder, { maxTaskBytes: MAX_BYTES });
      const { entries } = await openTask(store, "crash");
      const found = entries.map(({ shown }) => shown?.data["number"]);
      if (process.env["CRASH_REPEATS"] !== undefined) {
        const figures = `acknowledged ${said.length}, found ${found.length - before} new of ${found.length}`;
        process.stderr.write(`kill ${kill}: ${[figures, ...warnings].join("; ")}\n`);
      }
      // All messages since the first run, in order and without gaps.
      expect(found).toEqual(Array.from(found, (_, index) => index));
      expect(said).toEqual(Array.from(said, (_, index) => before + index));
      expect(found.length).toBeGreaterThanOrEqual(before + said.length);
      const wrong = entries.filter(
        ({ shown }) => shown?.data["padding"] !== paddingOf(shown?.data["number"]),
      );
      expect(wrong).toEqual([]);
      // Only an incomplete last line is allowed.
      expect(warnings.filter((text) => !text.includes("dropped an incomplete write"))).toEqual([]);
      before = found.length;
    }
  },
  20_000 + REPEATS * 5000,
);

/** Returns the padding that the child added to a number. */
function paddingOf(value: unknown): string {
  const number = Number(value);
  return "é".repeat((number * 7919) % (number % 50 === 0 ? 20_000 : 300));
}
