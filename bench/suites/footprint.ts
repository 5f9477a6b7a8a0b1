/**
 * @fileoverview Measures the installed size of a hello-world, the size of each package, and the bundled size of Tenon's
 * entry points.
 * @module bench/suites/footprint
 */
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { publishedPackages } from "../../tools/published-packages.js";
import { folderBytes, installedPackages } from "../lib/installed.js";
import { BENCH, ROOT } from "../lib/paths.js";
import { packedSize } from "../lib/packed.js";
import type { Row } from "../lib/result.js";
import type { Suite } from "../lib/suite.js";

/** Packages that a hello-world on stdio with zod installs. */
const HELLO: Readonly<Record<string, readonly string[]>> = {
  "raw-zod": ["zod"],
  "mcp-lite": ["mcp-lite", "zod"],
  tmcp: ["tmcp", "@tmcp/adapter-zod", "@tmcp/transport-stdio", "zod"],
  "official-v2": ["@modelcontextprotocol/server", "zod"],
  "official-v1": ["@modelcontextprotocol/sdk", "zod"],
  fastmcp: ["fastmcp", "zod"],
};

const ENTRIES: Readonly<Record<string, string>> = {
  tenon: "tenon/dist/index.js",
  "tenon/node": "tenon/dist/transport/node/index.js",
  "tenon/fetch": "tenon/dist/transport/fetch/index.js",
  "tenon/grouped": "tenon/dist/grouped/index.js",
  "@tenon/kit": "kit/dist/index.js",
};

/** Packages of other frameworks that users install, as the folders are called in `bench/node_modules`. */
const PEERS = [
  "mcp-lite",
  "tmcp",
  "@tmcp/transport-http",
  "@modelcontextprotocol/server",
  "@modelcontextprotocol/sdk",
  "fastmcp",
];

/** The footprint suite. */
export const footprint: Suite = {
  name: "footprint",
  title: "Footprint",
  async *run(options) {
    if (options.wants("footprint", "install")) {
      const peers = Object.entries(HELLO).map(([server, names]) => installRow(server, BENCH, names));
      yield {
        id: "install",
        title: "Installed size of a hello-world",
        metric: "packages",
        columns: { packages: "packages", kilobytes: "kB on disk" },
        rows: await Promise.all([installRow("tenon", ROOT, ["tenon", "zod"]), ...peers]),
      };
    }
    if (options.wants("footprint", "packages")) {
      const rows: Row[] = [];
      for (const { name } of publishedPackages()) rows.push(await packageRow(ROOT, name));
      for (const name of PEERS) rows.push(await packageRow(BENCH, name));
      yield {
        id: "packages",
        title: "Size of each package, and of everything that npm installs with it",
        metric: "packed",
        columns: {
          packed: "kB packed",
          unpacked: "kB unpacked",
          packages: "packages installed",
          kilobytes: "kB installed",
        },
        rows,
      };
    }
    if (options.wants("footprint", "bundle")) {
      const rows: Row[] = [];
      for (const [name, file] of Object.entries(ENTRIES)) rows.push(await bundleRow(name, file));
      yield {
        id: "bundle",
        title: "Tenon's entry points, bundled without dependencies",
        metric: "gzipped",
        columns: { gzipped: "kB minified, gzipped", minified: "kB minified" },
        rows,
      };
    }
  },
};

/** Creates the row of a hello-world: everything that npm installs for it. */
async function installRow(server: string, root: string, names: readonly string[]): Promise<Row> {
  const folders = installedPackages(root, names);
  const bytes = await Promise.all(folders.map((folder) => installedBytes(root, folder)));
  return {
    server,
    figures: { packages: folders.length, kilobytes: bytes.reduce((sum, one) => sum + one, 0) / 1000 },
  };
}

/** Creates the row of one package, with the number and size of everything that npm installs with it. */
async function packageRow(root: string, name: string): Promise<Row> {
  const [folder = ""] = installedPackages(root, [name]);
  const { packed, unpacked } = await packedSize(`${root}/${folder}`);
  const { figures } = await installRow(name, root, [name]);
  return { server: name, figures: { packed: packed / 1000, unpacked: unpacked / 1000, ...figures } };
}

/** A workspace package has more files on the disk than its users install. */
async function installedBytes(root: string, folder: string): Promise<number> {
  const path = `${root}/${folder}`;
  return folder.startsWith("node_modules/") ? folderBytes(path) : (await packedSize(path)).unpacked;
}

async function bundleRow(name: string, file: string): Promise<Row> {
  const { outputFiles } = await build({
    entryPoints: [`${ROOT}/packages/${file}`],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    packages: "external",
    write: false,
  });
  const bytes = outputFiles[0]?.contents ?? new Uint8Array(0);
  return {
    server: name,
    figures: { gzipped: gzipSync(bytes, { level: 9 }).length / 1000, minified: bytes.length / 1000 },
  };
}
