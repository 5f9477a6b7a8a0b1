import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { compileProgram } from "../../../../tools/compile-program.js";
import { ROOT } from "../../../../tools/source-files.js";
import { UsageLedger } from "../../src/storage/usage-ledger.js";
import { makeFolder } from "../support/storage/folders.js";

const CHILD = fileURLToPath(new URL("../support/storage/usage-child.ts", import.meta.url));
/** Number of kills. For more: `CRASH_REPEATS=100 npx vitest run packages/agent/tests/storage/usage-crash.test.ts`. */
const REPEATS = Number(process.env["CRASH_REPEATS"] ?? 3);
const TIME = Date.UTC(2026, 0, 31, 12);

type Line = readonly [at: "begin" | "done", user: string, tokens: number];

/** Runs the child, kills it at a random point, and returns the complete lines that it printed. */
async function runAndKill(folder: string): Promise<readonly Line[]> {
  const child = spawn(process.execPath, [compileProgram(CHILD), folder, `${TIME}`], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: Line[] = [];
  const enough = randomInt(1, 400);
  const closed = once(child, "close");
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(JSON.parse(line) as Line);
    if (lines.length === enough) setTimeout(() => child.kill("SIGKILL"), randomInt(0, 10));
  });
  const [, signal] = (await closed) as [number | null, string | null];
  expect(signal).toBe("SIGKILL");
  return lines;
}

test(
  `acknowledged token counts survive kills, and no count is added twice (${REPEATS} runs)`,
  { timeout: 30_000 + REPEATS * 10_000 },
  async () => {
    const folder = makeFolder();
    const found = new Map<string, number>();
    for (let kill = 1; kill <= REPEATS; kill++) {
      const lines = await runAndKill(folder);
      const ledger = new UsageLedger({ folder, now: () => TIME });
      for (let index = 0; index < 8; index++) {
        const user = `user-${index}`;
        const count = (at: Line[0]) =>
          lines.reduce((sum, line) => (line[0] === at && line[1] === user ? sum + line[2] : sum), 0);
        const tokens = await ledger.today(user);
        const before = found.get(user) ?? 0;
        expect(tokens, `${user} after kill ${kill}`).toBeGreaterThanOrEqual(before + count("done"));
        expect(tokens, `${user} after kill ${kill}`).toBeLessThanOrEqual(before + count("begin"));
        found.set(user, tokens);
      }
    }
    expect([...found.values()].some((tokens) => tokens > 0)).toBe(true);
  },
);
