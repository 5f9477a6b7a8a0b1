/**
 * @fileoverview Compiles programs of the tests and tools, because a child process starts several times faster without a
 * TypeScript loader.
 * @module tools/compile-program
 */
import { createHash } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, buildSync } from "esbuild";

const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
const FOLDER = `${ROOT}/.tmp/programs`;

/** Compiled files by their name. */
const compiled = new Map<string, string>();

/**
 * Compiles a program to one file inside the project, so that its other imports resolve. Run it with
 * `--enable-source-maps` if stack traces matter.
 *
 * @param packages `source` also compiles the workspace packages that it imports, `built` imports them from `dist`
 */
export function compileProgram(source: string, packages: "source" | "built" = "source"): string {
  const name = relative(ROOT, source).replaceAll("/", "-").replace(/\.ts$/, "");
  // Only one of the files maps the names of workspace packages to their source.
  const tsconfig = `${ROOT}/${packages === "source" ? "tsconfig.json" : "tsconfig.base.json"}`;
  return compile(`${name}-${packages}`, { entryPoints: [source], tsconfig });
}

/** Compiles modules to one module with the exports of all of them. Scripts that are passed to Node.js can import it. */
export function compileModules(...sources: readonly string[]): string {
  const contents = sources.map((source) => `export * from ${JSON.stringify(source)};\n`).join("");
  const name = createHash("sha256").update(contents).digest("hex").slice(0, 16);
  return compile(`modules-${name}`, {
    stdin: { contents, resolveDir: ROOT },
    tsconfig: `${ROOT}/tsconfig.json`,
  });
}

function compile(name: string, options: BuildOptions): string {
  const known = compiled.get(name);
  if (known !== undefined) return known;
  const file = `${FOLDER}/${name}.mjs`;
  const { outputFiles } = buildSync({
    ...options,
    outfile: file,
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    packages: "external",
    sourcemap: "inline",
  });
  mkdirSync(FOLDER, { recursive: true });
  // Another worker may be running the same file.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, outputFiles?.[0]?.contents ?? "");
  renameSync(draft, file);
  compiled.set(name, file);
  return file;
}
