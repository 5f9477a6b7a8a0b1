/**
 * @fileoverview Installs one of the private packages next to this file, once and on first use. Test files run in
 * separate processes, and several may need the same package.
 * @module tools/install-once
 */
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { withLock } from "@tenon/internal/files/with-lock";
import { runBounded } from "./process.js";

const INSTALL_MS = 240_000;

/** One installation per folder, shared by all callers in this process. */
const installations = new Map<string, Promise<string | undefined>>();

/**
 * Installs the packages in a folder's lock file, unless all of `needs` are installed. Resolves to the reason of a
 * failure.
 *
 * @param folder path without a trailing slash
 * @param needs names of packages below the folder's `node_modules`
 */
export function installOnce(folder: string, needs: readonly string[]): Promise<string | undefined> {
  const known = installations.get(folder) ?? install(folder, needs);
  installations.set(folder, known);
  return known;
}

async function install(folder: string, needs: readonly string[]): Promise<string | undefined> {
  if (isInstalled(folder, needs)) return undefined;
  const run = async () => {
    // Another process may have installed them in the meantime.
    if (isInstalled(folder, needs)) return undefined;
    const options = { cwd: folder, timeoutMs: INSTALL_MS };
    const { ok, output } = await runBounded("npm", ["ci", "--loglevel=error"], options);
    // npm prints the problem first, and its own stack trace after it.
    const said = output.split("\n").slice(0, 6).join("\n");
    return ok ? undefined : `npm ci in tools/${basename(folder)} failed: ${said}`;
  };
  return withLock(`${folder}/.installing.lock`, run, { waitMs: INSTALL_MS });
}

/** Checks an installation. npm writes its hidden lock file last, so without it an installation was interrupted. */
function isInstalled(folder: string, needs: readonly string[]): boolean {
  const hidden = `${folder}/node_modules/.package-lock.json`;
  if (!existsSync(hidden)) return false;
  const [wanted, present] = [readLock(`${folder}/package-lock.json`), readLock(hidden)];
  // A package without an entry in the lock file for this platform is not required.
  return needs
    .map((name) => `node_modules/${name}`)
    .every((path) => present[path]?.version === wanted[path]?.version);
}

type Lock = Readonly<Record<string, { readonly version?: string }>>;

function readLock(path: string): Lock {
  return (JSON.parse(readFileSync(path, "utf8")) as { readonly packages: Lock }).packages; // npm's own format
}
