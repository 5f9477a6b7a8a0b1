/**
 * @fileoverview Builds the package: declarations file by file, code as few files as the entry points allow. A server's
 * cold start is mostly the opening of files: from one file for each source file it takes five times as long.
 * @module scripts/build
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
rmSync(`${root}/dist`, { recursive: true, force: true });

const { exports } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
const entryPoints = Object.values(exports)
  .flatMap((entry) => (typeof entry === "object" ? [entry.default] : []))
  .map((path) => path.replace("./dist/", "src/").replace(/\.js$/, ".ts"));

const { outputFiles } = await build({
  write: false,
  absWorkingDir: root,
  entryPoints,
  tsconfig: "tsconfig.build.json",
  outbase: "src",
  outdir: "dist",
  chunkNames: "shared/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "neutral",
  target: "es2023",
  packages: "external",
  external: ["node:*"],
  logLevel: "warning",
});
for (const { path, text } of outputFiles) {
  mkdirSync(dirname(path), { recursive: true });
  // Nothing here has an effect at import, so a file is opened only for what is taken from it.
  writeFileSync(path, text.replaceAll(/^import "\.[^"]*";\n/gm, ""));
}
execFileSync(process.execPath, [`${root}/node_modules/typescript/bin/tsc`, "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
