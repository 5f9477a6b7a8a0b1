import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { runBounded } from "../../tools/process.js";
import { ROOT } from "../../tools/source-files.js";

const FOLDER = `${ROOT}/.tmp/declarations`;

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

test("R6: a project that emits declarations can export values from every package", async () => {
  mkdirSync(FOLDER, { recursive: true });
  const config = {
    extends: "../../tsconfig.base.json",
    compilerOptions: {
      declaration: true,
      emitDeclarationOnly: true,
      noEmit: false,
      skipLibCheck: false,
      // The declarations of the official SDK use types of browsers.
      lib: ["es2023", "dom"],
      rootDir: ".",
    },
    include: ["consumer.ts"],
  };
  writeFileSync(`${FOLDER}/tsconfig.json`, JSON.stringify(config));
  copyFileSync(`${ROOT}/tests/support/packages/consumer.ts`, `${FOLDER}/consumer.ts`);
  const { output } = await runBounded(`${ROOT}/node_modules/.bin/tsc`, ["-p", FOLDER], {
    cwd: ROOT,
    timeoutMs: 120_000,
  });
  expect(output).toBe("");
  expect(readFileSync(`${FOLDER}/consumer.d.ts`, "utf8")).toContain("export declare const classic: Server<");
}, 150_000);
