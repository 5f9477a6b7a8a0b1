/**
 * @fileoverview A temporary project with the packed Tenon packages and the packages that examples import.
 * @module tools/official-examples/project
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import { runBounded } from "../process.js";

/** Version ranges by package name. */
export type Dependencies = Readonly<Record<string, string>>;

/** Packages to install. An optional one may fail to install, for instance because it must be compiled. */
export interface ProjectDependencies {
  readonly dependencies: Dependencies;
  readonly optionalDependencies?: Dependencies;
}

/** A temporary project. */
export interface Project {
  readonly folder: string;
  /** Writes a file and creates its folder. */
  write(path: string, text: string): void;
  remove(): void;
}

/** Creates a project outside of this one and installs its packages. @throws with npm's output on failure */
export async function createProject(needed: ProjectDependencies): Promise<Project> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tenon-official-examples-")));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const { dependencies, optionalDependencies = {} } = needed;
    const packed = await packTenon(folder);
    const manifest = {
      private: true,
      type: "module",
      dependencies: { ...dependencies, ...packed },
      optionalDependencies,
    };
    write("package.json", JSON.stringify(manifest, undefined, 2));
    await npm(["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"], folder);
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, write, remove };
}

/** Returns the names of packages that a module imports, without those of Node.js. */
export function importedPackages(file: string): readonly string[] {
  const { module } = parseSync(file, readFileSync(file, "utf8"));
  return module.staticImports
    .map(({ moduleRequest }) => /^(?:@[^/]+\/)?[^./][^/]*/.exec(moduleRequest.value)?.[0] ?? "")
    .filter((name) => name !== "" && !name.startsWith("node:"));
}

/** Returns the names that a module's declarations export, types included. */
export function exportedNames(declarations: string): ReadonlySet<string> {
  const { module } = parseSync(declarations, readFileSync(declarations, "utf8"));
  const names = module.staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ exportName, moduleRequest }) => {
      if (exportName.name !== null && exportName.name !== undefined) return [exportName.name];
      // Without a name, the entry is `export * from "./other.js"`.
      const other = moduleRequest?.value ?? "";
      if (!other.startsWith(".")) return [];
      return [...exportedNames(join(dirname(declarations), other.replace(/\.js$/, ".d.ts")))];
    });
  return new Set(names);
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Time limit for npm in milliseconds. A package without a binary for this machine is compiled. */
const NPM_MS = 900_000;

/** Packs the packages as npm would publish them. Returns the tarballs as dependencies. */
async function packTenon(folder: string): Promise<Dependencies> {
  const workspaces = ["--workspace", "tenon", "--workspace", "@tenon/sdk"];
  const output = await npm(
    ["pack", "--ignore-scripts", "--json", "--loglevel=error", "--pack-destination", folder, ...workspaces],
    ROOT,
  );
  const packed = JSON.parse(output) as readonly { readonly name: string; readonly filename: string }[]; // npm's format
  return Object.fromEntries(packed.map(({ name, filename }) => [name, `file:./${filename}`]));
}

async function npm(args: readonly string[], cwd: string): Promise<string> {
  const { ok, output } = await runBounded("npm", args, { cwd, timeoutMs: NPM_MS });
  if (!ok) throw new Error(`npm ${args[0]} failed: ${output.slice(0, 2_000)}`);
  return output;
}
