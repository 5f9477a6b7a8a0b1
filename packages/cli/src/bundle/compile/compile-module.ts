/**
 * @fileoverview Compiles a module and its dependencies to one ES module with esbuild. The result does not depend on the
 * folder that the project is in.
 * @module cli/bundle/compile/compile-module
 */
import { dirname, resolve } from "node:path";
import type * as Esbuild from "esbuild";
import type { BuildOptions, BuildResult, Message, Metafile, Plugin } from "esbuild";
import { cliError } from "@tenon/internal/command-line/command";
import { messageOf } from "@tenon/internal/thrown";
import { type BundledPackage, createPackageFinder, replacePaths, stablePathOf } from "./bundled-packages.js";
import { isBuiltin } from "node:module";
import { isJsonObject } from "@tenon/internal/json";
import { oneLine } from "@tenon/internal/text";

/** Module to compile. */
export interface CompileTarget {
  /** Absolute path of the module, without symbolic links. */
  readonly path: string;
  /** Folder of the project, without symbolic links. */
  readonly root: string;
  /** Names of packages that are not bundled. */
  readonly external: readonly string[];
}

/** Source text of the program that a bundle runs. */
export interface EntrySource {
  /** Code that runs before the module is loaded. Imported as `tenon:prelude`. */
  readonly prelude: string;
  /** Code that imports the module and serves it. */
  readonly main: string;
}

/** Facts about a module and its dependencies. */
export interface ModuleAnalysis {
  /** Packages in the bundle, by name, without the project itself. */
  readonly packages: readonly BundledPackage[];
  /** Absolute paths of all files that are compiled. */
  readonly files: readonly string[];
  /** True if a dependency is a CommonJS module, which needs `require`. */
  readonly hasCommonJs: boolean;
  /** Warnings, one line each. */
  readonly warnings: readonly string[];
}

/** Analyzes a module and its dependencies. @throws {CliError} for errors in the code, and for native addons */
export async function analyzeModule(target: CompileTarget): Promise<ModuleAnalysis> {
  const { metafile, warnings } = await runBuild(target, { entryPoints: [target.path] });
  const files = inputFiles(metafile, target.root);
  const findPackage = createPackageFinder();
  const own = findPackage(target.path)?.folder;
  const packages = new Map<string, BundledPackage>();
  for (const file of files) {
    const found = findPackage(file);
    if (found !== undefined && found.folder !== own) packages.set(found.folder, found);
  }
  const sorted = [...packages.values()].toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const native = sorted.filter(({ isNative }) => isNative);
  if (native.length > 0) throw cliError(native.map(({ name }) => describeNative(name)).join("\n"));
  return {
    packages: sorted,
    files,
    hasCommonJs: Object.values(metafile.inputs).some(({ format }) => format === "cjs"),
    warnings: describeWarnings(warnings),
  };
}

/** Compiles the program. Returns the text of one ES module. @throws {CliError} for errors in the code */
export async function compileProgram(target: CompileTarget, entry: EntrySource): Promise<string> {
  const { metafile, outputFiles } = await runBuild(target, {
    entryPoints: ["tenon:main"],
    plugins: [createEntryPlugin(entry, dirname(target.path))],
    // Lets npm install the file as a program.
    banner: { js: "#!/usr/bin/env node" },
  });
  const findPackage = createPackageFinder();
  const names = inputNames(metafile).map((name) => {
    const file = resolve(target.root, name);
    return [name, stablePathOf(file, target.root, findPackage)] as const;
  });
  return replacePaths(outputFiles[0]?.text ?? "", new Map(names));
}

/** Version of Node.js that the code must run on. */
const TARGET = "node20.19";

type Built = BuildResult<{ readonly metafile: true; readonly write: false }>;

async function runBuild({ root, external }: CompileTarget, options: BuildOptions): Promise<Built> {
  const { build } = await loadEsbuild();
  const findPackage = createPackageFinder();
  const native = createNativePlugin((file) => findPackage(file)?.name);
  try {
    return await build({
      ...options,
      plugins: [native, ...(options.plugins ?? [])],
      absWorkingDir: root,
      bundle: true,
      write: false,
      metafile: true,
      outfile: resolve(root, "bundle.mjs"),
      format: "esm",
      platform: "node",
      target: TARGET,
      external: external.flatMap((name) => [name, `${name}/*`]),
      // The bundle starts the server itself, so a module that starts one when it is run directly must not.
      define: { "import.meta.main": "false" },
      // Names in stack traces and `constructor.name` stay as they are in the source.
      keepNames: true,
      charset: "utf8",
      legalComments: "inline",
      logLevel: "silent",
    });
  } catch (error) {
    throw cliError(`Could not bundle the module.\n${describeFailure(error)}`);
  }
}

async function loadEsbuild(): Promise<typeof Esbuild> {
  try {
    return await import("esbuild");
  } catch (error) {
    const reason = (messageOf(error) ?? "unknown error").replace(/\.$/, "");
    throw cliError(`Could not load esbuild: ${reason}. Install it: npm install --save-dev esbuild`);
  }
}

/** Provides the modules `tenon:main` and `tenon:prelude`. Their imports resolve from `resolveDir`. */
function createEntryPlugin({ main, prelude }: EntrySource, resolveDir: string): Plugin {
  return {
    name: "entry",
    setup(build) {
      build.onResolve({ filter: /^tenon:(?:main|prelude)$/ }, ({ path }) => ({
        path: path.slice("tenon:".length),
        namespace: "tenon",
        sideEffects: true,
      }));
      build.onLoad({ filter: /.*/, namespace: "tenon" }, ({ path }) => ({
        contents: path === "main" ? main : prelude,
        loader: "js",
        resolveDir,
      }));
    },
  };
}

/** Rejects compiled addons with a message that names the package instead of the file. */
function createNativePlugin(packageOf: (file: string) => string | undefined): Plugin {
  return {
    name: "native-addons",
    setup(build) {
      build.onResolve({ filter: /\.node$/ }, ({ path, importer }) => {
        return { errors: [{ text: describeNative(packageOf(importer) ?? path) }] };
      });
    },
  };
}

/** Returns the names of the input files, as esbuild writes them: relative to the project's folder. */
function inputNames({ inputs }: Metafile): readonly string[] {
  return Object.keys(inputs).filter((name) => !name.startsWith("tenon:"));
}

function inputFiles(metafile: Metafile, root: string): readonly string[] {
  return inputNames(metafile).map((name) => resolve(root, name));
}

/** Describes a failed build: one line for each error, up to a limit. */
function describeFailure(error: unknown): string {
  const messages = readMessages(error);
  if (messages.length === 0) return oneLine(messageOf(error) ?? String(error), MAX_LENGTH);
  const lines = [...new Set(messages.map((message) => `- ${describeMessage(message)}`))];
  const more = lines.length - MAX_LINES;
  return [...lines.slice(0, MAX_LINES), ...(more > 0 ? [`- and ${more} more errors`] : [])].join("\n");
}

/** Describes warnings, up to a limit. */
function describeWarnings(warnings: readonly Message[]): readonly string[] {
  return warnings.slice(0, MAX_LINES).map(describeMessage);
}

/** Describes a package with compiled code. */
function describeNative(name: string): string {
  const shown = oneLine(name, 100);
  return (
    `The package "${shown}" contains a native addon, which cannot be part of a bundle. ` +
    `Use a package without native code, or leave it out with --external ${shown}.`
  );
}

const MAX_LINES = 20;
const MAX_LENGTH = 500;

function readMessages(error: unknown): readonly Message[] {
  const errors = isJsonObject(error) ? error["errors"] : undefined;
  // Safe: esbuild fails with an error whose `errors` are messages.
  return Array.isArray(errors) ? (errors as readonly Message[]) : [];
}

function describeMessage({ text, location, pluginName }: Message): string {
  const message = oneLine(text, MAX_LENGTH).replace(/\.$/, "");
  // Our own messages already contain the package and the solution.
  if (pluginName === "native-addons") return `${message}.`;
  const place = location === null ? "" : `${location.file}:${location.line}:${location.column + 1}: `;
  const [, name] = /^Could not resolve "((?:@[\w.~-]+\/)?[\w.~-]+)/.exec(text) ?? [];
  const isPackage = name !== undefined && !name.startsWith(".") && !isBuiltin(name);
  return `${place}${message}.${isPackage ? ` Install it: npm install ${name}` : ""}`;
}
