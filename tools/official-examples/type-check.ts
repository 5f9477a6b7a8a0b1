/**
 * @fileoverview Type-checks a folder of examples with the project's compiler.
 * @module tools/official-examples/type-check
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { runBounded } from "../process.js";

/** Folder to check, and how. */
export interface TypeCheck {
  /** Absolute path. A `tsconfig.json` is written to it. */
  readonly folder: string;
  /** Files or patterns, relative to the folder. */
  readonly include: readonly string[];
  readonly compilerOptions: Readonly<Record<string, unknown>>;
}

/** Diagnostics by file, relative to the folder. Each starts with its line number. */
export type Diagnostics = ReadonlyMap<string, readonly string[]>;

/** Type-checks files. @throws if the compiler fails for another reason than diagnostics */
export async function typeCheck({ folder, include, compilerOptions }: TypeCheck): Promise<Diagnostics> {
  const config = join(folder, "tsconfig.json");
  writeFileSync(config, JSON.stringify({ compilerOptions: { ...BASE, ...compilerOptions }, include }));
  const args = [COMPILER, "-p", config, "--pretty", "false"];
  const { ok, output } = await runBounded(process.execPath, args, { cwd: folder, timeoutMs: TIMEOUT_MS });
  const found = new Map<string, string[]>();
  for (const line of output.split("\n")) {
    const [, file = "", place = "", text = ""] = /^(\S.*?)\((\d+),\d+\): error (TS.*)$/.exec(line) ?? [];
    if (file === "") continue;
    const path = relative(folder, resolve(folder, file));
    found.set(path, [...(found.get(path) ?? []), `${place}: ${text}`]);
  }
  if (!ok && found.size === 0) throw new Error(`Could not type-check ${folder}: ${output}`);
  return found;
}

/** Reads the compiler options of a checkout, without those that name its files. */
export function readCompilerOptions(file: string): Readonly<Record<string, unknown>> {
  const { compilerOptions } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly compilerOptions: Readonly<Record<string, unknown>>;
  }; // the compiler's format
  return Object.fromEntries(Object.entries(compilerOptions).filter(([name]) => !OWN_FILES.has(name)));
}

/** Options that name files of the checkout, or ask for output. */
const OWN_FILES: ReadonlySet<string> = new Set([
  "paths",
  "types",
  "outDir",
  "rootDir",
  "incremental",
  "declaration",
  "declarationMap",
  "sourceMap",
]);

const BASE = { noEmit: true, strict: true, skipLibCheck: true } as const;
const COMPILER = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
const TIMEOUT_MS = 120_000;
