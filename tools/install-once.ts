/**
 * @fileoverview Installs one of the private packages beside this file, once and on first use, whoever asks: test files
 * run in processes of their own, and several may need the same package.
 * @module tools/install-once
 */
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { lockFolder } from "./folder-lock.js";
import { runBounded } from "./process.js";

const INSTALL_MS = 240_000;

/** One installation for each folder, however many ask for it in this process. */
const installations = new Map<string, Promise<string | undefined>>();

/**
 * Installs what a folder's lock names, unless all of `needs` is there; the result is why it failed.
 *
 * @param folder without a slash at its end
 * @param needs names of packages below the folder's `node_modules`
 */
export function installOnce(folder: string, needs: readonly string[]): Promise<string | undefined> {
  const known = installations.get(folder) ?? install(folder, needs);
  installations.set(folder, known);
  return known;
}

async function install(folder: string, needs: readonly string[]): Promise<string | undefined> {
  if (isInstalled(folder, needs)) return undefined;
  const release = await lockFolder(`${folder}/.installing`, INSTALL_MS);
  try {
    // Another process may have done it meanwhile.
    if (isInstalled(folder, needs)) return undefined;
    const options = { cwd: folder, timeoutMs: INSTALL_MS };
    const { ok, output } = await runBounded("npm", ["ci", "--loglevel=error"], options);
    // npm says what is wrong first, and then where in its own code.
    const said = output.split("\n").slice(0, 6).join("\n");
    return ok ? undefined : `npm ci in tools/${basename(folder)} failed: ${said}`;
  } finally {
    release();
  }
}

/** npm writes its hidden lock last: without it an installation was cut short. */
function isInstalled(folder: string, needs: readonly string[]): boolean {
  const hidden = `${folder}/node_modules/.package-lock.json`;
  if (!existsSync(hidden)) return false;
  const [wanted, present] = [readLock(`${folder}/package-lock.json`), readLock(hidden)];
  // A package that the lock does not have for this machine cannot be missing.
  return needs
    .map((name) => `node_modules/${name}`)
    .every((path) => present[path]?.version === wanted[path]?.version);
}

type Lock = Readonly<Record<string, { readonly version?: string }>>;

function readLock(path: string): Lock {
  return (JSON.parse(readFileSync(path, "utf8")) as { readonly packages: Lock }).packages; // npm's own format
}
