/**
 * @fileoverview Checks every published package with publint and "are the types wrong".
 * @module scripts/check-packages
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
const bin = `${root}/node_modules/.bin`;

for (const folder of readdirSync(`${root}/packages`)) {
  const cwd = `${root}/packages/${folder}`;
  const manifest = JSON.parse(readFileSync(`${cwd}/package.json`, "utf8")) as {
    readonly private?: boolean;
    readonly exports: Readonly<Record<string, unknown>>;
  };
  if (manifest.private === true) continue;
  const run = (program: string, ...args: readonly string[]) =>
    execFileSync(`${bin}/${program}`, args, { cwd, stdio: ["ignore", "inherit", "inherit"] });
  console.log(`== ${folder}`);
  run("publint", "--strict");
  // A package without a main entry contains only a program, so its types are not checked.
  if (manifest.exports["."] !== undefined) run("attw", "--pack", ".", "--profile", "esm-only", "--quiet");
}
