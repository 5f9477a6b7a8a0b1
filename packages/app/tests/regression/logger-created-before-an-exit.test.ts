import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { compileModules } from "../../../../tools/compile-program.js";
import { ROOT } from "../../../../tools/source-files.js";

/** Runs a script that exits right after creating a logger. pino used to throw "sonic boom is not ready yet". */
const run = (script: (path: string) => string) => {
  const folder = mkdtempSync(join(tmpdir(), "tenon-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "logs", "app.log");
  const writer = compileModules(`${ROOT}/packages/app/src/logging/pino-writer.ts`);
  const code = `import { createPinoWriter } from ${JSON.stringify(writer)};\n${script(JSON.stringify(path))}`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    cwd: ROOT,
    encoding: "utf8",
    timeout: 60_000,
  });
  return { status, stderr, path };
};

test("a program that exits while its logger is being created does not crash", () => {
  const { status, stderr } = run(
    (path) => `void createPinoWriter({ destination: ${path} });
      for (let tick = 0; tick < 200; tick++) await Promise.resolve();
      await import("pino");
      await Promise.resolve().then(() => {}).then(() => {});
      process.exit(0);`,
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("a program that exits immediately loses no log lines", () => {
  const { status, stderr, path } = run(
    (target) => `const writer = await createPinoWriter({ destination: ${target} });
      for (let line = 0; line < 100; line++) {
        writer.write({ level: "info", time: new Date().toISOString(), message: "line " + line });
      }
      process.exit(0);`,
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(readFileSync(path, "utf8").trim().split("\n")).toHaveLength(100);
});
