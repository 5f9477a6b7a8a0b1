/**
 * @fileoverview Packs the packages as npm would publish them, and serves them from a local registry.
 * @module tests/support/packed-packages
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runBounded } from "../../tools/process.js";
import { ROOT } from "./source-files.js";

/** A packed package. */
export interface PackedPackage {
  readonly name: string;
  /** Absolute path to the tarball. */
  readonly file: string;
  readonly manifest: { readonly version: string } & Readonly<Record<string, unknown>>;
}

/** Packs every published package. Tarballs are written to `folder`. */
export async function packPackages(folder: string): Promise<readonly PackedPackage[]> {
  const manifests = readdirSync(`${ROOT}/packages`)
    .map((name) => readManifest(`${ROOT}/packages/${name}/package.json`))
    .filter((manifest) => manifest["private"] !== true);
  const workspaces = manifests.flatMap(({ name }) => ["--workspace", name]);
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder, ...workspaces];
  const { ok, output } = await runBounded("npm", args, { cwd: ROOT, timeoutMs: 60_000 });
  if (!ok) throw new Error(output);
  const packed = JSON.parse(output) as readonly { readonly name: string; readonly filename: string }[];
  return manifests.map((manifest) => {
    const { filename = "" } = packed.find(({ name }) => name === manifest.name) ?? {};
    return { name: manifest.name, file: join(folder, filename), manifest };
  });
}

interface Manifest extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly version: string;
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, "utf8")) as Manifest;
}

/** A registry that npm can install from. */
export interface LocalRegistry {
  /** Environment for `npm` and `npx`: this registry, and a separate cache. */
  readonly env: Readonly<Record<string, string>>;
  close(): void;
}

/**
 * Serves packed packages as if they were published, and redirects npm to its usual registry for all others. Uses a
 * separate cache, because the usual one could contain an earlier build of the same version.
 */
export async function startRegistry(packages: readonly PackedPackage[]): Promise<LocalRegistry> {
  const { output } = await runBounded("npm", ["config", "get", "registry"], { cwd: ROOT, timeoutMs: 30_000 });
  const upstream = output.trim().split("\n").at(-1) ?? "";
  const cache = mkdtempSync(join(tmpdir(), "tenon-npm-cache-"));
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
