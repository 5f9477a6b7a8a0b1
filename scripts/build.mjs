/**
 * @fileoverview Builds the package: declarations file by file, code in a few files that follow the floors of the house.
 * A cold start is mostly the opening of files: from one file for each source file it takes five times as long.
 * @module scripts/build
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { rollup } from "rollup";

const root = fileURLToPath(new URL("..", import.meta.url));
const source = resolve(root, "src");
const output = resolve(root, "dist");

/** What is loaded together stands together; the rest is divided as its users need it. stdio is short enough for all. */
const FLOORS = [
  [
    "core",
    /^(internal|protocol|schema|core|transport\/stdio)\/(?!json-schema\/|event-stream|closest-name|index\.ts)/,
  ],
  ["http", /^(session|transport\/http)\//],
  ["node", /^transport\/node\/(?!listen\.ts|direct-request\.ts|index\.ts)/],
];

/** What only the command line needs comes with it, so that a server's install stays small. */
const BUNDLED = ["citty", "@clack/prompts"];

const { exports, bin } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8"));
const tsconfigRaw = readFileSync(resolve(root, "tsconfig.json"), "utf8");
const entries = [...Object.values(exports), ...Object.values(bin)]
  .flatMap((entry) => (typeof entry === "object" ? [entry.default] : [entry]))
  .filter((path) => path.endsWith(".js"))
  .map((path) => path.replace("./dist/", "").replace(/\.js$/, ""));

/** Source files as rollup wants them: found under the name that they are imported by, and without their types. */
const typescript = {
  name: "typescript",
  resolveId: (id, importer) =>
    id.startsWith(".") && importer ? resolve(dirname(importer), id.replace(/\.js$/, ".ts")) : null,
  async transform(code, id) {
    if (id.startsWith("\0")) return null;
    return { code: (await transform(code, { loader: "ts", target: "es2023", tsconfigRaw })).code, map: null };
  },
};

/**
 * Blanks and comments go, which is a twentieth of what a start on stdio adds to its process. Names stay, and lines stay
 * short, so that a stack trace can be read and found.
 */
const squeezed = {
  name: "squeezed",
  async renderChunk(code) {
    return { code: (await transform(code, SQUEEZE)).code, map: null };
  },
};
const SQUEEZE = { target: "es2023", minifyWhitespace: true, lineLimit: 120 };

/** Every package that came along, by name. */
const bundledPackages = new Set();

/** Packages that become part of ours. */
const bundled = {
  name: "bundled",
  resolveId: (id) => (BUNDLED.includes(id) ? `\0${id}` : null),
  async load(id) {
    if (!id.startsWith("\0")) return null;
    const { outputFiles, metafile } = await build({
      stdin: { contents: `export * from "${id.slice(1)}"`, resolveDir: root },
      bundle: true,
      write: false,
      format: "esm",
      platform: "node",
      target: "es2023",
      metafile: true,
    });
    for (const file of Object.keys(metafile.inputs)) {
      const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
      if (name !== undefined) bundledPackages.add(name);
    }
    return outputFiles[0].text;
  },
};

rmSync(output, { recursive: true, force: true });
const bundle = await rollup({
  input: Object.fromEntries(entries.map((entry) => [entry, resolve(source, `${entry}.ts`)])),
  external: (id) => !/^[./\0]/.test(id) && !BUNDLED.includes(id),
  plugins: [bundled, typescript, squeezed],
  // Nothing here has an effect at import, so a file is opened only for what is taken from it.
  treeshake: { moduleSideEffects: false },
  onwarn(warning) {
    throw new Error(warning.message);
  },
});
await bundle.write({
  dir: output,
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "shared/[name]-[hash].js",
  minifyInternalExports: false,
  hoistTransitiveImports: false,
  banner: ({ name }) => (name === "cli/main" ? "#!/usr/bin/env node" : ""),
  manualChunks(id) {
    const path = relative(source, id).replaceAll("\\", "/");
    return FLOORS.find(([, pattern]) => pattern.test(path))?.[0];
  },
});
// Their licences ask to be handed on with them.
const notices = [...bundledPackages]
  .toSorted((a, b) => a.localeCompare(b))
  .map((name) => {
    const folder = resolve(root, "node_modules", name);
    const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
    if (licence === undefined) throw new Error(`${name} is bundled, and has no licence to hand on`);
    return `${name}\n\n${readFileSync(resolve(folder, licence), "utf8").trim()}\n`;
  });
writeFileSync(resolve(output, "cli/third-party-licences.txt"), notices.join("\n---\n\n"));

execFileSync(
  process.execPath,
  [resolve(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json"],
  {
    cwd: root,
    stdio: "inherit",
  },
);
