/**
 * @fileoverview Records what a complete build was made from and what it wrote, so that `npm test` can skip a build that
 * would change nothing.
 * @module scripts/build-stamp
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const stamp = resolve(root, ".tmp/build-stamp");

/** Inputs outside the packages. npm writes the last one when it installs packages. */
const SHARED_INPUTS = [
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.base.json",
  "scripts/build.mjs",
  "scripts/build-page.mjs",
  "scripts/build-stamp.mjs",
  "node_modules/.package-lock.json",
];

/** Returns a hash of everything that a build reads. */
export function hashInputs() {
  const own = filesIn("packages").filter(
    (path) => !/^packages\/[^/]+\/(?:dist|tests|node_modules)\//.test(path),
  );
  return hashFiles([...SHARED_INPUTS, ...own]);
}

/** Records a complete build. @param inputs hash from before the build */
export function writeStamp(inputs) {
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, `${inputs} ${hashOutputs()}\n`);
}

/** Returns true if nothing has changed since the last complete build, neither its inputs nor its outputs. */
export function isUpToDate() {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === `${hashInputs()} ${hashOutputs()}\n`;
}

function hashOutputs() {
  return hashFiles(filesIn("packages").filter((path) => /^packages\/[^/]+\/dist\//.test(path)));
}

function filesIn(folder) {
  return readdirSync(resolve(root, folder), { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .filter((path) => statSync(resolve(root, path), { throwIfNoEntry: false })?.isFile() === true);
}

function hashFiles(paths) {
  const hash = createHash("sha256");
  for (const path of paths.toSorted()) {
    const file = resolve(root, path);
    const content = existsSync(file)
      ? createHash("sha256").update(readFileSync(file)).digest("hex")
      : "missing";
    hash.update(`${path} ${content}\n`);
  }
  return hash.digest("hex");
}
