/**
 * @fileoverview One installation of the packed packages and of everything that the templates need, for all test files.
 * @module tests/support/shared-install
 */
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { withLock } from "@tenon/internal/files/with-lock";
import { isOffline, startRegistry } from "../../tools/local-registry.js";
import { type PackedPackage, packPackages } from "../../tools/packed-packages.js";
import { runBounded, type RunOutcome } from "../../tools/process.js";
import { ROOT } from "../../tools/source-files.js";
import { manifestOf, TEMPLATES_FOLDER } from "./templates.js";

/** TypeScript versions that users may have, by the folder that they are installed in. The first is the oldest one. */
export const COMPILERS = { ts55: "5.5", ts59: "5.9", ts70: "7.0" } as const;

/** Installed packages. */
export interface Installed {
  readonly ok: true;
  /** Folder that contains `node_modules`. */
  readonly folder: string;
  readonly packages: readonly PackedPackage[];
}

/** Installed packages, or the reason why they are missing. */
export type InstallOutcome = Installed | { readonly ok: false; readonly reason: string };

/** Time limit for `installShared` in milliseconds, if it has to install. */
export const INSTALL_MS = 600_000;

/** Large packages that no test runs. */
const OMITTED = new Set(["wrangler"]);

/**
 * Installs the packed packages together with the dependencies of all templates and three versions of TypeScript, unless
 * an earlier call has done that. The folder stays for later runs, and is replaced when a package changes.
 *
 * @throws if npm fails for another reason than a missing connection
 */
export async function installShared(): Promise<InstallOutcome> {
  const packages = await packPackages();
  const dependencies = collectDependencies(packages);
  const parts = [process.version, ROOT, JSON.stringify(dependencies), ...packages.map(({ file }) => file)];
  const name = (...texts: readonly string[]) =>
    createHash("sha256").update(texts.join("\n")).digest("hex").slice(0, 12);
  const prefix = `tenon-installed-${name(ROOT)}-`;
  const folder = join(realpathSync(tmpdir()), `${prefix}${name(...parts)}`);
  const run = async (): Promise<InstallOutcome> => {
    if (existsSync(folder)) return { ok: true, folder, packages };
    for (const earlier of readdirSync(tmpdir()))
      if (earlier.startsWith(prefix)) rmSync(join(tmpdir(), earlier), { recursive: true, force: true });
    const draft = mkdtempSync(join(tmpdir(), prefix));
    const manifest = { name: "installed", version: "1.0.0", private: true, type: "module", dependencies };
    writeFileSync(join(draft, "package.json"), JSON.stringify(manifest));
    const { ok, output } = await install(draft, packages);
    if (ok) {
      renameSync(draft, folder);
      return { ok: true, folder, packages };
    }
    rmSync(draft, { recursive: true, force: true });
    if (!isOffline(output)) throw new Error(output);
    return { ok: false, reason: "Could not reach the npm registry." };
  };
  return withLock(join(tmpdir(), `tenon-installing-${name(ROOT)}.lock`), run, { waitMs: INSTALL_MS });
}

async function install(cwd: string, packages: readonly PackedPackage[]): Promise<RunOutcome> {
  const registry = await startRegistry(packages);
  try {
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"];
    return await runBounded("npm", ["install", ...flags], { cwd, timeoutMs: INSTALL_MS, env: registry.env });
  } finally {
    registry.close();
  }
}

/** Returns all dependencies of the templates. @throws if two templates depend on different versions of a package */
function collectDependencies(packages: readonly PackedPackage[]): Readonly<Record<string, string>> {
  const compilers = Object.entries(COMPILERS).map(([name, version]) => [
    name,
    `npm:typescript@~${version}.0`,
  ]);
  const found = new Map<string, string>();
  for (const template of readdirSync(TEMPLATES_FOLDER)) {
    const { dependencies, devDependencies } = manifestOf(template);
    for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies })) {
      if (found.has(name) && found.get(name) !== range)
        throw new Error(`Templates depend on ${name} ${found.get(name)} and ${range}. Use one range.`);
      if (!OMITTED.has(name)) found.set(name, range);
    }
  }
  const own = packages.map(({ name, manifest }) => [name, manifest.version]);
  return Object.fromEntries([...found, ...compilers, ...own]) as Readonly<Record<string, string>>;
}

/**
 * Creates a project from a template with the packed `create-tenon`, and links the installed packages into it.
 *
 * @param folder folder to create
 */
export async function createInstalled(
  { folder: shared }: Installed,
  folder: string,
  args: readonly string[],
): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  const modules = join(shared, "node_modules");
  const program = join(modules, ".bin/create-tenon");
  const words = [basename(folder), "--yes", "--no-install", "--no-git", ...args];
  const { ok, output } = await runBounded(program, words, { cwd: dirname(folder), timeoutMs: 60_000 });
  if (!ok) throw new Error(output);
  symlinkSync(modules, join(folder, "node_modules"));
}

/**
 * Runs a script of a project, as `npm run` does, but without the processor time of npm. The environment contains only
 * what npm would set, because an inner Vitest would otherwise act as a worker of this one.
 */
export function runScript(cwd: string, name: string, ...args: readonly string[]): Promise<RunOutcome> {
  const { scripts } = JSON.parse(readFileSync(join(cwd, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const command = scripts[name];
  if (command === undefined) throw new Error(`The project has no script "${name}".`);
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH: `${join(cwd, "node_modules/.bin")}:${PATH}`, HOME };
  return runBounded("sh", ["-c", [command, ...args].join(" ")], { cwd, env, timeoutMs: INSTALL_MS });
}
