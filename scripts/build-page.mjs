/**
 * @fileoverview Builds a page into the `dist/page` folder of its package: one script, one style sheet, and the files that
 * are copied. `scripts/build.mjs` calls it for the packages `agent` and `cli`. On its own, it builds the pages of the
 * packages in its arguments, or all of them.
 * @module scripts/build-page
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const packages = resolve(root, "packages");
const tsconfigRaw = JSON.stringify({ compilerOptions: { jsx: "react-jsx", jsxImportSource: "preact" } });

/** Maximum size of all files of a page together, gzipped, in bytes. */
const MAX_SIZE = 150 * 1024;

/** Names of the pages, and the files that are copied, by package. */
const PAGES = {
  agent: { title: "agent page", copied: ["index.html", "icon.svg"] },
  cli: { title: "development page", copied: ["index.html"] },
};

/** Packages with a page. */
export const PAGE_PACKAGES = Object.keys(PAGES);

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
    onResolve({ filter: /^@tenon\/agent\/client$/ }, () => ({
      path: sourceFile("agent", "client/index.ts"),
    }));
    // From the source, so that only the constants that the page uses are bundled.
    onResolve({ filter: /^tenon\/protocol$/ }, () => ({
      path: sourceFile("tenon", "protocol/index.ts"),
      sideEffects: false,
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

/** Builds the page of a package. Returns the names of the third-party packages in it. @throws if it is too large */
export async function buildPage(name) {
  const { title, copied } = PAGES[name];
  const source = resolve(packages, name, "page");
  const output = resolve(packages, name, "dist/page");
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
    ...Object.fromEntries(copied.map((file) => [file, readFileSync(resolve(source, file))])),
    "app.js": bundled["app.js"],
    "app.css": bundled["style.css"],
  };
  const size = Object.values(files).reduce((sum, content) => sum + gzipSync(content, { level: 9 }).length, 0);
  if (size > MAX_SIZE)
    throw new Error(`The ${title} is too large: ${size} bytes gzipped (limit: ${MAX_SIZE}).`);
  for (const [path, content] of Object.entries(files)) {
    const file = resolve(output, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  const names = Object.keys(metafile.inputs).map(
    (file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1],
  );
  return new Set(names.filter((name) => name !== undefined));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wanted = process.argv.slice(2);
  for (const name of wanted.length === 0 ? PAGE_PACKAGES : wanted) await buildPage(name);
}
