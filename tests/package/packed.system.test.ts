import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { transformSync } from "esbuild";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { runBounded } from "../../tools/process.js";
import { findRedis, startRedis } from "../../tools/redis-server.js";
import { ROOT } from "../../tools/source-files.js";
import { COMPILERS, INSTALL_MS, type InstallOutcome, installShared } from "../support/shared-install.js";
import { EXPORTED_VALUES } from "../support/packages/exported-values.js";

const RUN_MS = 60_000;
const COMPILE_MS = 600_000;
const STOP_MS = 5_000;

const project = mkdtempSync(join(tmpdir(), "tenon-packed-"));
let installed: InstallOutcome;

beforeAll(async () => {
  installed = await installShared();
  if (!installed.ok) return;
  writeFileSync(join(project, "package.json"), '{"name":"consumer","version":"1.0.0","type":"module"}');
  // A copy with hard links, because the packages must compile without the official SDK.
  const modules = join(project, "node_modules");
  await promisify(execFile)("cp", ["-al", join(installed.folder, "node_modules"), modules]);
  rmSync(join(modules, "@modelcontextprotocol"), { recursive: true });
}, INSTALL_MS + RUN_MS);

beforeEach((ctx) => {
  if (!installed.ok) ctx.skip(installed.reason);
});

afterAll(() => rmSync(project, { recursive: true, force: true }), RUN_MS);

const packages = () => (installed.ok ? installed.packages : []);

describe("the packed packages, installed together", () => {
  test("contain a single copy of tenon", () => {
    const copies = readdirSync(join(project, "node_modules"), { recursive: true, encoding: "utf8" }).filter(
      (path) => /(?:^|node_modules\/)tenon\/package\.json$/.test(path),
    );
    expect(copies).toEqual(["tenon/package.json"]);
  });

  test("contain the README and the license, but no source code or tests", () => {
    for (const { name } of packages()) {
      const files = readdirSync(join(project, "node_modules", name), { encoding: "utf8" });
      expect(files, name).toEqual(expect.arrayContaining(["LICENSE", "README.md", "dist", "package.json"]));
      expect(files, name).not.toContain("src");
      expect(files, name).not.toContain("tests");
    }
  });

  test("do not refer to the private package", async () => {
    const { output } = await runBounded(
      "grep",
      ["-rl", "@tenon/internal", ...packages().map(({ name }) => `node_modules/${name}/dist`)],
      { cwd: project, timeoutMs: RUN_MS },
    );
    expect(output.split("\n").filter((line) => line.startsWith("node_modules/"))).toEqual([]);
  });

  test.for(readExamples())(
    "run the example in the README of $name",
    { timeout: RUN_MS },
    async ({ name, code }, { skip }) => {
      const redis = code.includes("REDIS_URL") ? await findRedis() : undefined;
      if (redis !== undefined && redis.path === undefined) skip(redis.reason);
      const server = redis && (await startRedis());
      if (server !== undefined) onTestFinished(() => server.stop());
      const file = join(project, `${name.replaceAll(/\W/g, "-")}.mjs`);
      writeFileSync(file, transformSync(code, { loader: "ts", format: "esm", target: "node20" }).code);
      const { code: exit, output } = await runExample(
        file,
        server === undefined ? {} : { REDIS_URL: server.url },
      );
      expect(exit, output).toBe(0);
    },
  );

  describe.each(Object.keys(COMPILERS))("compiled with %s", (compiler) => {
    test.each(["nodenext", "bundler"])(
      "module resolution %s",
      { timeout: COMPILE_MS },
      async (resolution) => {
        const cwd = join(project, `${compiler}-${resolution}`);
        mkdirSync(cwd);
        writeFileSync(join(cwd, "consumer.ts"), consumer());
        const options = {
          target: "es2022",
          lib: ["es2023"],
          types: ["node"],
          module: resolution === "bundler" ? "esnext" : "nodenext",
          moduleResolution: resolution,
          strict: true,
          declaration: true,
          // Every declaration of the packages is checked too.
          skipLibCheck: false,
          outDir: "out",
          rootDir: ".",
        };
        writeFileSync(
          join(cwd, "tsconfig.json"),
          JSON.stringify({ compilerOptions: options, include: ["consumer.ts"] }),
        );
        const { ok, output } = await runBounded(process.execPath, compile(compiler, resolution), {
          cwd,
          timeoutMs: COMPILE_MS,
        });
        expect(ok, output).toBe(true);
      },
    );
  });
});

/**
 * Returns the arguments that compile the project in the current folder. Both resolutions find the same declarations of
 * third-party packages, so only one of them checks these. TypeScript 7 has no API, and is fast.
 */
function compile(compiler: string, resolution: string): readonly string[] {
  const installed = join(project, "node_modules", compiler);
  if (resolution === "nodenext" || compiler === "ts70") return [join(installed, "bin/tsc"), "-p", "."];
  const program = fileURLToPath(new URL("../support/packages/check-own-declarations.mjs", import.meta.url));
  const libraries = new Set(Object.keys(EXPORTED_VALUES).map(packageOf));
  return [program, join(installed, "lib/typescript.js"), "tsconfig.json", ...libraries];
}

/** Returns the name of the package that has an entry point. */
function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** Returns the first TypeScript block in each package's README. READMEs of programs do not contain one. */
function readExamples(): readonly { readonly name: string; readonly code: string }[] {
  return readdirSync(`${ROOT}/packages`).flatMap((name) => {
    const readme = `${ROOT}/packages/${name}/README.md`;
    const [, code] = existsSync(readme)
      ? (/^```ts\n([\s\S]*?)^```$/m.exec(readFileSync(readme, "utf8")) ?? [])
      : [];
    return code === undefined ? [] : [{ name, code }];
  });
}

/**
 * Runs an example until it exits. A stdio server exits when its input closes. A server that prints its URL is stopped
 * shortly afterward.
 */
async function runExample(
  file: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, [file], {
    cwd: project,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const timers = [setTimeout(() => child.kill("SIGKILL"), RUN_MS - 10_000)];
  let output = "";
  const read = (text: string) => {
    output += text;
    const isListening = /(?:https?|wss?):\/\/(?:127\.0\.0\.1|localhost)/.test(text);
    if (isListening) timers.push(setTimeout(() => child.kill("SIGTERM"), STOP_MS));
  };
  child.stdout.setEncoding("utf8").on("data", read);
  child.stderr.setEncoding("utf8").on("data", read);
  const [code] = (await once(child, "close")) as [number | null];
  timers.forEach((timer) => clearTimeout(timer));
  return { code, output };
}

/** Creates a module that exports every entry point, and values with inferred types from most of them. */
function consumer(): string {
  const spaces = Object.keys(EXPORTED_VALUES).map(
    (name, index) => `export * as entry${index} from "${name}";`,
  );
  return `${spaces.join("\n")}\n${readFileSync(new URL("../support/packages/consumer.ts", import.meta.url), "utf8")}`;
}
