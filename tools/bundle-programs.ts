/**
 * @fileoverview Bundles programs of the tools, so that their processes start fast.
 * @module tools/bundle-programs
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Names that bundled CommonJS packages use. */
const COMMONJS_NAMES = `
import { createRequire as createRequireOfBundle } from "node:module";
import { fileURLToPath as toPathOfBundle } from "node:url";
const require = createRequireOfBundle(import.meta.url);
const __filename = toPathOfBundle(import.meta.url);
const __dirname = toPathOfBundle(new URL(".", import.meta.url));`;

/** Bundles programs into a folder, each as one `.mjs` file. Packages of the workspace are bundled from their source. */
export async function bundlePrograms(sources: readonly string[], folder: string): Promise<void> {
  await build({
    entryPoints: sources.map((source) => join(ROOT, source)),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    banner: { js: COMMONJS_NAMES },
    tsconfig: join(ROOT, "tsconfig.json"),
    absWorkingDir: ROOT,
    logLevel: "error",
  });
}
