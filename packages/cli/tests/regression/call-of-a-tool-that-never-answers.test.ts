import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ROOT } from "../../../../tools/source-files.js";

/** Before the fix, nothing kept the event loop alive, so Node.js exited early without a message. */
test("a call to an in-memory tool that never responds times out with a message", () => {
  const folder = mkdtempSync(join(tmpdir(), "tenon-never-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "never.mjs");
  writeFileSync(
    file,
    `import { defineServer } from "${ROOT}/packages/tenon/dist/index.js";
     export default defineServer({ name: "never", version: "1.0.0" })
       .tool("never", { handler: () => new Promise(() => {}) });`,
  );
  const { status, stderr } = spawnSync(
    process.execPath,
    [`${ROOT}/packages/cli/dist/main.js`, "call", "never", "--timeout", "1", "--server", file],
    { encoding: "utf8", timeout: 60_000 },
  );
  expect([status, stderr]).toEqual([1, expect.stringMatching(/1 s|second|time/i)]);
});
