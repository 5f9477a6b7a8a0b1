/**
 * @fileoverview Compiles the user's files to one module with esbuild. Packages are not part of it, so that they are
 * loaded from `node_modules` as usual, and the build stays small and fast.
 * @module cli/dev/build/bundler
 */
import { isBuiltin } from "node:module";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { BuildFailure, BuildOptions, BuildResult, Metafile } from "esbuild";
import { cliError } from "@tenon/internal/command-line/command";
import { messageOf } from "@tenon/internal/thrown";
import type { BuildError } from "../log/problems.js";
import type { BundleFolder } from "./bundle-folder.js";
import type { Entry } from "./entry.js";
import { createSourcesPlugin, FILE_CONSTANTS } from "./own-sources.js";

/** Outcome of a build. `files` are the absolute paths of the user's files, as far as they are known. */
export type BuildOutcome =
  | { readonly ok: true; readonly bundle: Bundle; readonly files: ReadonlySet<string> }
  | {
      readonly ok: false;
      readonly errors: readonly BuildError[];
      readonly files: ReadonlySet<string>;
      /** Folders in which imported files are missing. */
      readonly folders: readonly string[];
    };

/** Compiled module. */
export interface Bundle {
  readonly code: Uint8Array;
  /** Changes with the code. */
  readonly hash: string;
  /** Packages that the code imports when it is loaded. */
  readonly packages: readonly string[];
}

/** Settings for `createBundler`. */
export interface BundlerSettings {
  readonly entry: Entry;
  readonly folder: BundleFolder;
  readonly cwd: string;
  /** Version of Node.js, such as `20.19.0`. */
  readonly nodeVersion: string;
}

/** Compiler for one entry. Later builds reuse the results of earlier ones. */
export interface Bundler {
  build(): Promise<BuildOutcome>;
  /** Ends the compiler's process. */
  dispose(): Promise<void>;
}

/** Creates a bundler. @throws {CliError} if esbuild cannot be started */
export async function createBundler(settings: BundlerSettings): Promise<Bundler> {
  const loaded = new Set<string>();
  const options = toOptions(settings, (path) => loaded.add(path));
  const { esbuild, context } = await startEsbuild(options);
  const { cwd } = settings;
  return {
    async build() {
      loaded.clear();
      try {
        return toOutcome(await context.rebuild(), cwd);
      } catch (error) {
        const { errors } = toFailure(error);
        return { ok: false, errors, files: new Set(loaded), folders: missingFolders(errors, cwd) };
      }
    },
    async dispose() {
      await context.dispose();
      await esbuild.stop();
    },
  };
}

/** Loads esbuild and starts its process. Some installations leave out the program for the operating system. */
async function startEsbuild(options: ReturnType<typeof toOptions>) {
  try {
    const esbuild = await import("esbuild");
    return { esbuild, context: await esbuild.context(options) };
  } catch (error) {
    const reason = (messageOf(error) ?? "unknown error").trimEnd().replace(/\.$/, "");
    throw cliError(`Could not start esbuild: ${reason}. Install it again: npm install --save-dev @tenon/cli`);
  }
}

function toOptions({ entry, folder, cwd, nodeVersion }: BundlerSettings, onLoaded: (path: string) => void) {
  const entryUrl = JSON.stringify(pathToFileURL(entry.path).href);
  return {
    entryPoints: [entry.path],
    absWorkingDir: cwd,
    bundle: true,
    write: false,
    metafile: true,
    // Paths in the source map are relative to this file. The bundle is written next to it.
    outfile: resolve(folder.path, "bundle.mjs"),
    format: "esm",
    platform: "node",
    packages: "external",
    target: `node${nodeVersion}`,
    sourcemap: "inline",
    sourcesContent: false,
    define: FILE_CONSTANTS,
    // CommonJS files use `require`, which ES modules do not have.
    banner: {
      js: `import { createRequire as __tenonRequire } from "node:module"; const require = __tenonRequire(${entryUrl});`,
    },
    plugins: [createSourcesPlugin(onLoaded)],
    charset: "utf8",
    logLevel: "silent",
  } satisfies BuildOptions;
}

type Built = BuildResult<{ readonly metafile: true; readonly write: false }>;

function toOutcome({ outputFiles, metafile }: Built, cwd: string): BuildOutcome {
  const [output] = outputFiles;
  const files = new Set(Object.keys(metafile.inputs).map((path) => resolve(cwd, path)));
  const code = output?.contents ?? new Uint8Array();
  return { ok: true, bundle: { code, hash: output?.hash ?? "", packages: findPackages(metafile) }, files };
}

/** Returns the packages that the bundle imports with `import` statements, which are always loaded. */
function findPackages({ outputs }: Metafile): readonly string[] {
  const imports = Object.values(outputs).flatMap((output) => output.imports);
  const paths = imports
    .filter(({ external, kind }) => external === true && kind === "import-statement")
    .map(({ path }) => path);
  return [...new Set(paths)].filter((path) => !isBuiltin(path)).toSorted();
}

/** Returns the errors of a failed build. A crash of the compiler is reported like an error in the code. */
function toFailure(
  error: unknown,
): Pick<BuildFailure, "errors"> | { readonly errors: readonly BuildError[] } {
  // Safe: esbuild rejects with an error that has a list of messages.
  const { errors } = error as Partial<BuildFailure>;
  if (Array.isArray(errors) && errors.length > 0) return { errors };
  return {
    errors: [{ text: error instanceof Error ? error.message : String(error), location: null, notes: [] }],
  };
}

/** Returns the folders in which relative imports expect files that do not exist. */
function missingFolders(errors: readonly BuildError[], cwd: string): readonly string[] {
  return errors.flatMap(({ text, location }) => {
    const [, path] = /^Could not resolve "(\.[^"]*)"/.exec(text) ?? [];
    return path === undefined || location === null
      ? []
      : [dirname(resolve(cwd, dirname(location.file), path))];
  });
}
