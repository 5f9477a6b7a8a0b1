/**
 * @fileoverview Measures the installed size of a hello-world, and the bundled size of Tenon's entry points.
 * @module bench/suites/footprint
 */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { folderBytes, installedPackages } from "../lib/installed.js";
import { BENCH, ROOT } from "../lib/paths.js";
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

const PACKAGE = `${ROOT}/packages/tenon`;

/** The footprint suite. */
export const footprint: Suite = {
  name: "footprint",
  title: "Footprint",
  async *run(options) {
    if (options.wants("footprint", "install")) {
      const rows = Object.entries(HELLO).map(([server, roots]): Row => {
        const packages = installedPackages(BENCH, roots);
        const bytes = packages.reduce((sum, path) => sum + folderBytes(`${BENCH}/${path}`), 0);
        return { server, figures: { packages: packages.length, kilobytes: bytes / 1000 } };
      });
      yield {
        id: "install",
        title: "Installed size of a hello-world",
        metric: "packages",
        columns: { packages: "packages", kilobytes: "kB on disk" },
        rows: [ownRow(), ...rows],
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

/** Creates the row of Tenon: its dependencies, and zod, which its users install. */
function ownRow(): Row {
  const manifest = JSON.parse(readFileSync(`${PACKAGE}/package.json`, "utf8")) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  const roots = [...Object.keys(manifest.dependencies ?? {}), "zod"];
  const packages = installedPackages(ROOT, roots);
  const own =
    folderBytes(`${PACKAGE}/dist`) +
    folderBytes(`${PACKAGE}/package.json`) +
    folderBytes(`${PACKAGE}/README.md`);
  const bytes = packages.reduce((sum, path) => sum + folderBytes(`${ROOT}/${path}`), own);
  return { server: "tenon", figures: { packages: packages.length + 1, kilobytes: bytes / 1000 } };
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
