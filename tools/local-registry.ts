/**
 * @fileoverview Serves packed packages from a local registry, as if they were published.
 * @module tools/local-registry
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { PACKED, type PackedPackage } from "./packed-packages.js";
import { runBounded } from "./process.js";
import { ROOT } from "./source-files.js";

/** A registry that npm can install from. */
export interface LocalRegistry {
  /** Environment for `npm` and `npx`: this registry, and a separate cache. npm uses cached metadata without asking again. */
  readonly env: Readonly<Record<string, string>>;
  close(): void;
}

/** The packages change without a new version, so npm must not cache them. */
const UNCACHED = { "cache-control": "no-store" };

/**
 * Serves packed packages as if they were published, and redirects npm to its usual registry for all others. Downloads
 * are stored next to the tarballs, so that all processes share them. Each registry has its own folder for the packages
 * that `npx` installs.
 */
export async function startRegistry(packages: readonly PackedPackage[]): Promise<LocalRegistry> {
  const { output } = await runBounded("npm", ["config", "get", "registry"], { cwd: ROOT, timeoutMs: 30_000 });
  const upstream = output.trim().split("\n").at(-1) ?? "";
  const downloads = `${PACKED}/downloads`;
  mkdirSync(downloads, { recursive: true });
  const cache = mkdtempSync(join(tmpdir(), "tenon-npm-cache-"));
  symlinkSync(downloads, join(cache, "_cacache"));
  const tarballs = new Map(packages.map(({ file }) => [`/-/${basename(file)}`, readFileSync(file)]));
  const server = createServer(({ url = "/" }, response) => {
    const path = decodeURIComponent(url.split("?")[0] ?? "/");
    const tarball = tarballs.get(path);
    if (tarball !== undefined) return void response.writeHead(200, UNCACHED).end(tarball);
    const found = packages.find(({ name }) => path === `/${name}`);
    if (found === undefined)
      return void response.writeHead(302, { location: new URL(url.slice(1), upstream).href }).end();
    response
      .writeHead(200, { ...UNCACHED, "content-type": "application/json" })
      .end(JSON.stringify(describePackage(found, registryHost())));
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

/** Returns the document that a registry has for a package. */
function describePackage({ name, file, manifest }: PackedPackage, host: string): object {
  const integrity = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
  const dist = { tarball: `http://${host}/-/${basename(file)}`, integrity };
  const { version } = manifest;
  return { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } };
}

/** Returns true if npm failed because it cannot reach a registry, which is not a defect in the packages. */
export function isOffline(output: string): boolean {
  return /E(AI_AGAIN|NOTFOUND|CONNREFUSED|TIMEDOUT|CONNRESET)|ERR_SOCKET/.test(output);
}
