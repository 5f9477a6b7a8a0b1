/**
 * @fileoverview Builds the development page into `packages/cli/dist/page`: one script, one style sheet, and the document.
 * `scripts/build.mjs` calls it for the package `cli`.
 * @module scripts/build-page
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const packages = resolve(root, "packages");
const source = resolve(packages, "cli/page");
const tsconfigRaw = JSON.stringify({ compilerOptions: { jsx: "react-jsx", jsxImportSource: "preact" } });

/** Maximum size of all files together, gzipped, in bytes. */
const MAX_SIZE = 150 * 1024;

/** Resolves the private packages to their source files. */
const workspace = {
  name: "workspace",
  setup({ onResolve }) {
    onResolve({ filter: /^@tenon\/ui\// }, ({ path }) => ({
      path: sourceFile("ui", path.slice("@tenon/ui/".length)),
    }));
    onResolve({ filter: /^@tenon\/internal\// }, ({ path }) => ({
      path: sourceFile("internal", `${path.slice("@tenon/internal/".length)}.js`),
    }));
  },
};

/** Returns the source file of a module, which is imported by the name of its output. */
function sourceFile(name, module) {
  const file = resolve(packages, name, "src", module);
  const candidates = [file, file.replace(/\.js$/, ".ts"), file.replace(/\.js$/, ".tsx")];
  const found = candidates.find((candidate) => existsSync(candidate));
  if (found === undefined) throw new Error(`The module "${module}" of the package "${name}" does not exist.`);
  return found;
}

/** Builds the page. Returns the names of the third-party packages in it. @throws if it is too large */
export async function buildPage(output = resolve(packages, "cli/dist/page")) {
  const { outputFiles, metafile } = await build({
    entryPoints: { app: resolve(source, "main.tsx"), style: resolve(source, "styles/index.css") },
    outdir: output,
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    metafile: true,
    define: { "process.env.NODE_ENV": '"production"' },
    absWorkingDir: root,
    nodePaths: [resolve(root, "node_modules")],
    tsconfigRaw,
    plugins: [workspace],
    logLevel: "warning",
  });
  const bundled = Object.fromEntries(
    outputFiles.map(({ path, contents }) => [path.slice(output.length + 1), contents]),
  );
  const files = {
    "index.html": readFileSync(resolve(source, "index.html")),
    "app.js": bundled["app.js"],
    "app.css": bundled["style.css"],
  };
  const size = Object.values(files).reduce((sum, content) => sum + gzipSync(content, { level: 9 }).length, 0);
  if (size > MAX_SIZE)
    throw new Error(`The development page is too large: ${size} bytes gzipped (limit: ${MAX_SIZE}).`);
  for (const [name, content] of Object.entries(files)) {
    const file = resolve(output, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  const names = Object.keys(metafile.inputs).map(
    (file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1],
  );
  return new Set(names.filter((name) => name !== undefined));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPage();
