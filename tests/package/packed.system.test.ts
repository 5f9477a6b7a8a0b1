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
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { runBounded } from "../../tools/process.js";
import { findRedis, startRedis } from "../../tools/redis-server.js";
import {
  isOffline,
  type LocalRegistry,
  type PackedPackage,
  packPackages,
  startRegistry,
} from "../support/packed-packages.js";
import { ROOT } from "../support/source-files.js";
import { EXPORTED_VALUES } from "./exported-values.js";

const INSTALL_MS = 180_000;
const COMPILE_MS = 180_000;
const RUN_MS = 60_000;
const STOP_MS = 5_000;
const FLAGS = ["--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"];

/** TypeScript versions that users may have, by installation alias. The first is the oldest supported version. */
const COMPILERS = { ts55: "5.5", ts59: "5.9", ts70: "7.0" } as const;

const folder = mkdtempSync(join(tmpdir(), "tenon-packed-"));
const project = join(folder, "project");
let packages: readonly PackedPackage[] = [];
let registry: LocalRegistry;
let offline = false;

/** Creates an empty project and installs packages into it. Returns npm's complete output. */
async function install(cwd: string, ...wanted: readonly string[]): Promise<string> {
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, "package.json"), '{"name":"consumer","version":"1.0.0","type":"module"}');
  // npm prints warnings to standard error, which `runBounded` drops on success.
  return new Promise((resolve, reject) => {
    const options = { cwd, timeout: INSTALL_MS, env: registry.env };
    execFile("npm", ["install", ...FLAGS, ...wanted], options, (error, stdout, stderr) =>
      error === null ? resolve(`${stdout}${stderr}`) : reject(new Error(`${error.message}\n${stderr}`)),
    );
  });
}

beforeAll(async () => {
  packages = await packPackages();
  registry = await startRegistry(packages);
  const compilers = Object.entries(COMPILERS).map(
    ([name, version]) => `${name}@npm:typescript@~${version}.0`,
  );
  try {
    await install(project, ...packages.map(({ name }) => name), "zod", "@types/node@20", ...compilers);
  } catch (error) {
    offline = isOffline(String(error));
    if (!offline) throw error;
    process.stderr.write("Skipped the packed packages: could not reach the npm registry.\n");
  }
}, INSTALL_MS + 60_000);

beforeEach((ctx) => {
  if (offline) ctx.skip("Could not reach the npm registry.");
});

afterAll(() => {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("the packed packages, installed together", () => {
  test("contain a single copy of tenon", () => {
    const copies = readdirSync(join(project, "node_modules"), { recursive: true, encoding: "utf8" }).filter(
      (path) => /(?:^|node_modules\/)tenon\/package\.json$/.test(path),
    );
    expect(copies).toEqual(["tenon/package.json"]);
  });

  test("contain the README and the license, but no source code or tests", () => {
    for (const { name } of packages) {
      const files = readdirSync(join(project, "node_modules", name), { encoding: "utf8" });
      expect(files, name).toEqual(expect.arrayContaining(["LICENSE", "README.md", "dist", "package.json"]));
      expect(files, name).not.toContain("src");
      expect(files, name).not.toContain("tests");
    }
  });

  test("do not refer to the private package", async () => {
    const { output } = await runBounded(
      "grep",
      ["-rl", "@tenon/internal", ...packages.map(({ name }) => `node_modules/${name}/dist`)],
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

describe("@tenon/sdk beside the official SDK, with Zod 3", () => {
  const cwd = join(folder, "official-sdk");

  test("installs, and the drop-ins run", { timeout: INSTALL_MS + RUN_MS }, async () => {
    const official = ["@modelcontextprotocol/sdk@1", "@modelcontextprotocol/server@2"];
    await install(cwd, "tenon", "@tenon/sdk", "zod@~3.25.76", "@types/node@20", ...official);
    const code = readFileSync(new URL("sdk-consumer-fixture.ts", import.meta.url), "utf8");
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
    const tsc = join(project, "node_modules", compiler, "bin/tsc");
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
    const output = await install(join(folder, name.replaceAll(" ", "-")), "tenon", ...wanted);
    expect(output).not.toMatch(/npm (?:warn|error)(?! (?:Unknown|config))/i);
    expect(output).toMatch(/added \d+ packages/);
  });

  test("loads the TOON encoder only in tenon/grouped", () => {
    const specifiers = Object.keys(EXPORTED_VALUES).filter((name) => /^tenon(?:\/|$)/.test(name));
    expect(specifiers.filter((name) => importsOf(name).has("@toon-format/toon"))).toEqual(["tenon/grouped"]);
  });
});

/**
 * Returns the arguments that compile the project in the current folder. Both resolutions find the same declarations of
 * third-party packages, so only one of them checks these. TypeScript 7 has no API, and is fast.
 */
function compile(compiler: string, resolution: string): readonly string[] {
  const installed = join(project, "node_modules", compiler);
  if (resolution === "nodenext" || compiler === "ts70") return [join(installed, "bin/tsc"), "-p", "."];
  const program = fileURLToPath(new URL("check-own-declarations.mjs", import.meta.url));
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

/** Returns the packages that a tenon entry point loads, directly or through its own files. */
function importsOf(specifier: string): ReadonlySet<string> {
  const manifest = JSON.parse(readFileSync(`${ROOT}/packages/tenon/package.json`, "utf8")) as {
    readonly exports: Readonly<Record<string, { readonly default: string }>>;
  };
  const entry = manifest.exports[specifier.replace("tenon", ".")]?.default ?? "";
  const imports = new Set<string>();
  const seen = new Set<string>();
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, name = ""] of readFileSync(file, "utf8").matchAll(/(?:from|import)\s*"([^"]+)"/g)) {
      if (name.startsWith(".")) visit(join(dirname(file), name));
      else imports.add(name);
    }
  };
  visit(join(ROOT, "packages/tenon", entry));
  return imports;
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
  return `${spaces.join("\n")}\n${readFileSync(new URL("consumer-fixture.ts", import.meta.url), "utf8")}`;
}
