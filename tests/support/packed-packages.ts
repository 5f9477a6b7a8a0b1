/**
 * @fileoverview Packs the packages as npm would publish them, and serves them from a local registry.
 * @module tests/support/packed-packages
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { lockFolder } from "../../tools/folder-lock.js";
import { runBounded } from "../../tools/process.js";
import { ROOT } from "./source-files.js";

/** A packed package. */
export interface PackedPackage {
  readonly name: string;
  /** Absolute path to the tarball. */
  readonly file: string;
  readonly manifest: { readonly version: string } & Readonly<Record<string, unknown>>;
}

/**
 * Packs every published package, once for all test files: packing takes ten seconds of processor time. The tarballs stay
 * in a folder that is named after the content of the packages.
 */
export async function packPackages(): Promise<readonly PackedPackage[]> {
  const sources = readdirSync(`${ROOT}/packages`)
    .map((name) => `${ROOT}/packages/${name}`)
    .map((path) => ({ path, manifest: readManifest(`${path}/package.json`) }))
    .filter(({ manifest }) => manifest["private"] !== true);
  const manifests = sources.map(({ manifest }) => manifest);
  const folder = `${PACKED}/${hashFolders(sources.map(({ path }) => path))}`;
  mkdirSync(PACKED, { recursive: true });
  const release = await lockFolder(`${PACKED}/.packing`, PACK_MS);
  try {
    if (!existsSync(folder)) await pack(manifests, folder);
  } finally {
    release();
  }
  const packed = JSON.parse(readFileSync(`${folder}/${LIST}`, "utf8")) as readonly PackedFile[];
  return manifests.map((manifest) => {
    const { filename = "" } = packed.find(({ name }) => name === manifest.name) ?? {};
    return { name: manifest.name, file: join(folder, filename), manifest };
  });
}

const PACKED = `${ROOT}/.tmp/packed`;
const LIST = "packed.json";
const PACK_MS = 240_000;

/** Part of the output of `npm pack --json`. */
interface PackedFile {
  readonly name: string;
  readonly filename: string;
}

/** Writes tarballs to a new folder, and removes those of earlier builds. The folder gets its name when it is complete. */
async function pack(manifests: readonly Manifest[], folder: string): Promise<void> {
  for (const name of readdirSync(PACKED))
    if (!name.startsWith(".")) rmSync(`${PACKED}/${name}`, { recursive: true, force: true });
  const draft = mkdtempSync(`${PACKED}/draft-`);
  const workspaces = manifests.flatMap(({ name }) => ["--workspace", name]);
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", draft, ...workspaces];
  const { ok, output } = await runBounded("npm", args, { cwd: ROOT, timeoutMs: PACK_MS });
  if (!ok) throw new Error(output);
  writeFileSync(`${draft}/${LIST}`, output);
  renameSync(draft, folder);
}

/** Returns a hash of the files in packages, except sources, tests, and installed packages, which are never packed. */
function hashFolders(folders: readonly string[]): string {
  const hash = createHash("sha256");
  for (const folder of folders) {
    const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => !NEVER_PACKED.has(path.split("/")[0] ?? ""))
      .filter((path) => statSync(join(folder, path)).isFile());
    for (const path of paths.toSorted()) {
      const content = createHash("sha256")
        .update(readFileSync(join(folder, path)))
        .digest("hex");
      hash.update(`${folder}/${path}: ${content}\n`);
    }
  }
  return hash.digest("hex").slice(0, 16);
}

const NEVER_PACKED = new Set(["src", "tests", "node_modules"]);

interface Manifest extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly version: string;
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, "utf8")) as Manifest;
}

/** A registry that npm can install from. */
export interface LocalRegistry {
  /** Environment for `npm` and `npx`: this registry, and a separate cache. npm uses cached metadata without asking again. */
  readonly env: Readonly<Record<string, string>>;
  close(): void;
}

/**
 * Serves packed packages as if they were published, and redirects npm to its usual registry for all others. Uses a
 * separate cache, because the usual one could contain an earlier build of the same version. Downloads are stored next to
 * the tarballs, so that all test files share them. Each registry has its own folder for the packages that `npx` installs.
 */
export async function startRegistry(packages: readonly PackedPackage[]): Promise<LocalRegistry> {
  const { output } = await runBounded("npm", ["config", "get", "registry"], { cwd: ROOT, timeoutMs: 30_000 });
  const upstream = output.trim().split("\n").at(-1) ?? "";
  const downloads = join(dirname(packages[0]?.file ?? ""), "downloads");
  mkdirSync(downloads, { recursive: true });
  const cache = mkdtempSync(join(tmpdir(), "tenon-npm-cache-"));
  symlinkSync(downloads, join(cache, "_cacache"));
  const tarballs = new Map(
    packages.map((one) => [`/-/${one.file.split("/").at(-1)}`, readFileSync(one.file)]),
  );
  const server = createServer(({ url = "/" }, response) => {
    const path = decodeURIComponent(url.split("?")[0] ?? "/");
    const tarball = tarballs.get(path);
    if (tarball !== undefined) return void response.end(tarball);
    const found = packages.find(({ name }) => path === `/${name}`);
    if (found === undefined)
      return void response.writeHead(302, { location: new URL(url.slice(1), upstream).href }).end();
    const { version } = found.manifest;
    const name = found.file.split("/").at(-1);
    const integrity = `sha512-${createHash("sha512").update(readFileSync(found.file)).digest("base64")}`;
    const dist = { tarball: `http://${registryHost()}/-/${name}`, integrity };
    const document = {
      name: found.name,
      "dist-tags": { latest: version },
      versions: { [version]: { ...found.manifest, dist } },
    };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document));
  });
  const registryHost = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { PATH = "", HOME = "", npm_config_globalconfig: settings } = process.env;
  return {
    env: {
      PATH,
      HOME,
      // npm looks for its global settings beside Node, which may not be the Node that npm was installed with.
      ...(settings === undefined ? {} : { npm_config_globalconfig: settings }),
      npm_config_registry: `http://${registryHost()}/`,
      npm_config_cache: cache,
      npm_config_prefer_offline: "true",
    },
    close() {
      server.close();
      server.closeAllConnections();
      rmSync(cache, { recursive: true, force: true });
    },
  };
}

/** Returns true if npm failed because it cannot reach a registry, which is not a defect in the packages. */
export function isOffline(output: string): boolean {
  return /E(AI_AGAIN|NOTFOUND|CONNREFUSED|TIMEDOUT|CONNRESET)|ERR_SOCKET|ended after/.test(output);
}
