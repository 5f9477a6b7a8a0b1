/**
 * @fileoverview Compiles a program of the tests, because a child process starts several times faster without a
 * TypeScript loader.
 * @module tests/support/compile-program
 */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { buildSync } from "esbuild";
import { ROOT } from "./source-files.js";

const FOLDER = `${ROOT}/.tmp/programs`;

/** Compiled files by the path of their source. */
const compiled = new Map<string, string>();

/**
 * Compiles a program and the source of the workspace packages that it imports to one file inside the project, so that
 * its other imports resolve. Run it with `--enable-source-maps` if stack traces matter.
 */
export function compileProgram(source: string): string {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const file = `${FOLDER}/${relative(ROOT, source).replaceAll("/", "-").replace(/\.ts$/, ".mjs")}`;
  const { outputFiles } = buildSync({
    entryPoints: [source],
    outfile: file,
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    packages: "external",
    sourcemap: "inline",
    tsconfig: `${ROOT}/tsconfig.json`,
  });
  mkdirSync(FOLDER, { recursive: true });
  // Another worker may be running the same file.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, outputFiles[0]?.contents ?? "");
  renameSync(draft, file);
  compiled.set(source, file);
  return file;
}
