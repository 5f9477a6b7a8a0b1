import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type LocalRegistry, startRegistry } from "../../tools/local-registry.js";
import { runBounded } from "../../tools/process.js";
import { COMPILERS, INSTALL_MS, type InstallOutcome, installShared } from "../support/shared-install.js";

/** Combinations of versions that the shared installation does not have. */

const COMPILE_MS = 600_000;
const RUN_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), "tenon-installations-"));
let installed: InstallOutcome;
let registry: LocalRegistry | undefined;

beforeAll(async () => {
  installed = await installShared();
  if (installed.ok) registry = await startRegistry(installed.packages);
}, INSTALL_MS);

beforeEach((ctx) => {
  if (!installed.ok) ctx.skip(installed.reason);
});

afterAll(() => {
  registry?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Creates an empty project and runs `npm install` in it. Returns npm's complete output. */
async function install(cwd: string, ...args: readonly string[]): Promise<string> {
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, "package.json"), '{"name":"consumer","version":"1.0.0","type":"module"}');
  const words = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", ...args];
  // npm prints warnings to standard error, which `runBounded` drops on success.
  return new Promise((resolve, reject) => {
    execFile("npm", words, { cwd, timeout: INSTALL_MS, env: registry?.env }, (error, stdout, stderr) =>
      error === null ? resolve(`${stdout}${stderr}`) : reject(new Error(`${error.message}\n${stderr}`)),
    );
  });
}

describe("@tenon/sdk beside the official SDK, with Zod 3", () => {
  const cwd = join(folder, "official-sdk");

  test("installs, and the drop-ins run", { timeout: INSTALL_MS + RUN_MS }, async () => {
    const official = ["@modelcontextprotocol/sdk@1", "@modelcontextprotocol/server@2"];
    await install(cwd, "tenon", "@tenon/sdk", "zod@~3.25.76", "@types/node@20", ...official);
    const code = readFileSync(new URL("../support/packages/sdk-consumer.ts", import.meta.url), "utf8");
    writeFileSync(join(cwd, "consumer.ts"), code);
    writeFileSync(
      join(cwd, "consumer.mjs"),
      transformSync(code, { loader: "ts", format: "esm", target: "node20" }).code,
    );
    const { ok, output } = await runBounded(process.execPath, ["consumer.mjs"], { cwd, timeoutMs: RUN_MS });
    expect(ok, output).toBe(true);
    expect(output).toContain('{"content":[{"type":"text","text":"Hello, Ada!"}]}');
  });

  test.each(Object.keys(COMPILERS))("compiles with %s", { timeout: COMPILE_MS }, async (compiler) => {
    if (!installed.ok) return;
    const compilerOptions = {
      target: "es2022",
      types: ["node"],
      module: "nodenext",
      strict: true,
      declaration: true,
      skipLibCheck: true,
      outDir: `out-${compiler}`,
      rootDir: ".",
    };
    const config = join(cwd, `tsconfig.${compiler}.json`);
    writeFileSync(config, JSON.stringify({ compilerOptions, files: ["consumer.ts"] }));
    const tsc = join(installed.folder, "node_modules", compiler, "bin/tsc");
    const { ok, output } = await runBounded(process.execPath, [tsc, "-p", config], {
      cwd,
      timeoutMs: COMPILE_MS,
    });
    expect(ok, output).toBe(true);
  });
});

describe("tenon without the other packages", () => {
  test.each([
    ["Zod 3", ["zod@3"]],
    ["Valibot", ["valibot", "@valibot/to-json-schema"]],
    ["no schema library", []],
  ])("installs without warnings in a project with %s", { timeout: INSTALL_MS }, async (name, wanted) => {
    // Resolves the versions and reports problems, but does not write the packages.
    const output = await install(join(folder, name.replaceAll(" ", "-")), "--dry-run", "tenon", ...wanted);
    expect(output).not.toMatch(/npm (?:warn|error)(?! (?:Unknown|config))/i);
    expect(output).toMatch(/added \d+ packages/);
  });
});
