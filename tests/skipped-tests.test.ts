import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { runBounded } from "../tools/process.js";
import { ROOT } from "../tools/source-files.js";
import { allowedSkip, ALLOWED_FILES } from "./support/allowed-skips.js";

mkdirSync(`${ROOT}/.tmp`, { recursive: true });
const folder = mkdtempSync(`${ROOT}/.tmp/skipped-`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Otherwise, the configuration of this project would apply.
writeFileSync(`${folder}/vitest.config.mjs`, "export default {};\n");
writeFileSync(
  `${folder}/one.test.ts`,
  `import { test } from "vitest";
test("runs", () => {});
test("needs Redis", (ctx) => ctx.skip("Redis is not installed."));
`,
);

/** Runs a file with one passing and one skipped test. */
function run(CI: string, ...args: readonly string[]) {
  const reporter = `--reporter=${ROOT}/tests/support/summary-reporter.ts`;
  return runBounded(`${ROOT}/node_modules/.bin/vitest`, ["run", "--root", folder, reporter, ...args], {
    cwd: folder,
    timeoutMs: 60_000,
    env: { PATH: process.env["PATH"] ?? "", CI },
  });
}

describe("a skipped test", () => {
  test("is listed with its reason", async () => {
    const { ok, output } = await run("");
    expect(ok, output).toBe(true);
    expect(output).toContain("one.test.ts > needs Redis: Redis is not installed.\n");
    expect(output).toMatch(/^1 passed, 0 failed, 1 skipped$/m);
  });

  test("fails in CI", async () => {
    const { ok, output } = await run("true");
    expect(ok).toBe(false);
    expect(output).toContain(
      "Failed, because no test may be skipped in CI:\n  one.test.ts > needs Redis: Redis is not installed.\n",
    );
    expect(output).toMatch(/^1 passed, 1 failed, 0 skipped$/m);
  });

  test("that is not selected does not fail in CI", async () => {
    const { ok, output } = await run("true", "-t", "runs");
    expect(ok, output).toBe(true);
  });

  test("may be skipped in CI only if it is in the list of existing files", () => {
    expect(ALLOWED_FILES.filter((file) => !existsSync(`${ROOT}/${file}`))).toEqual([]);
    const file = "packages/tenon/tests/transport/node-buffer.test.ts";
    expect(allowedSkip({ file, title: "without Buffer > serves on HTTP" })).toMatch(/^Since version 22/);
    expect(allowedSkip({ file, title: "without Buffer > serves on stdio" })).toBeUndefined();
  });
});
