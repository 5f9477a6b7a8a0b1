/**
 * @fileoverview Compiles the servers to JavaScript, so that no loader affects the measurements.
 * @module bench/lib/build
 */
import { readdirSync } from "node:fs";
import { build, type Plugin } from "esbuild";
import { BENCH, BUILD, ROOT } from "./paths.js";

/** Folders with programs. The name of a compiled file starts with its folder's path, joined by hyphens. */
const FOLDERS = ["servers", "servers/streams", "servers/large", "servers/sdk", "hello", "hello/http"];

/**
 * Compiles every file of the folders above. Packages, including Tenon, stay external.
 *
 * @param root checkout with the packages that the servers load
 * @param folder folder of the compiled files, below this one so that they find the installed packages
 */
export async function buildServers(root: string = ROOT, folder: string = BUILD): Promise<void> {
  const files = FOLDERS.flatMap((source) =>
    readdirSync(`${BENCH}/${source}`)
      .filter((name) => name.endsWith(".ts"))
      .map((name) => ({
        in: `${BENCH}/${source}/${name}`,
        out: `${source.replaceAll("/", "-")}-${name.slice(0, -3)}`,
      })),
  );
  await build({
    entryPoints: files,
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    plugins: [packagesOf(root)],
    tsconfigRaw: "{}",
    logLevel: "error",
  });
}

/** Resolves the packages of this project to those of a checkout. */
function packagesOf(root: string): Plugin {
  return {
    name: "packages",
    setup(current) {
      current.onResolve({ filter: /^(\.\.\/)+packages\// }, ({ path }) => ({
        path: `${root}/${path.replace(/^(\.\.\/)+/, "")}`,
        external: true,
      }));
    },
  };
}
