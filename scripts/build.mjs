/**
 * @fileoverview Builds the packages in dependency order: `npm run build [-- PACKAGE …]`. With `--if-changed`, skips a
 * build that would change nothing. Code is bundled into a few files per package, because a cold start spends most of its
 * time opening files. Declarations stay unbundled. Each package contains its own copy of `@tenon/internal`.
 * @module scripts/build
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { rollup } from "rollup";
import { buildPage, PAGE_PACKAGES } from "./build-page.mjs";
import { hashInputs, isUpToDate, writeStamp } from "./build-stamp.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const packages = resolve(root, "packages");
const tsconfigRaw = readFileSync(resolve(root, "tsconfig.base.json"), "utf8");
const INTERNAL = "@tenon/internal/";
const IF_CHANGED = "--if-changed";

/** Build order. Each package is type-checked against the declarations of the packages built before it. */
const ORDER = ["tenon", "auth", "redis", "sdk", "kit", "oauth", "app", "agent", "cli", "create-tenon"];

/** Third-party packages that are bundled, so that installing a command installs only one package. */
const BUNDLED = {
  cli: [
    "citty",
    "fflate",
    "gpt-tokenizer/encoding/o200k_base",
    "jose/jwt/sign",
    "jsonc-parser",
    "oauth4webapi",
    "typebox/schema",
    "yaml",
  ],
  "create-tenon": ["citty", "@clack/prompts"],
};

/** Workspace packages that are bundled from source. `tenon` never is, so that a project has only one copy of it. */
const INLINED = { cli: ["@tenon/kit", "@tenon/oauth", "@tenon/sdk/adapters"] };

/**
 * Chunk names by source path in `packages/`. Modules that are loaded together share a chunk. `core` contains no
 * transport: an application that calls `handle` itself loads only `core`.
 */
const CHUNKS = {
  tenon: [
    ["core", /^internal\/src\/(?!event-stream|files\/|limits\/)/],
    ["core", /^tenon\/src\/(?:protocol|schema|core)\/(?!json-schema\/|index\.ts)/],
    ["transport", /^tenon\/src\/transport\/stdio\/(?!index\.ts)/],
    [
      "transport",
      /^tenon\/src\/transport\/(?:node-buffer|default-log|check-limits|options-for|start-line|until-idle)\.ts/,
    ],
    ["http", /^tenon\/src\/(?:session|transport\/http|transport\/node-requests)\//],
    ["http", /^tenon\/src\/transport\/(?:decode-body|to-pieces)\.ts/],
    ["memory", /^tenon\/src\/transport\/memory\//],
    ["node", /^tenon\/src\/transport\/node\/(?!workers\/|http-listener\.ts|direct-request\.ts|index\.ts)/],
  ],
};

/** Strips types. */
const typescript = {
  name: "typescript",
  async transform(code, id) {
    if (id.startsWith("\0")) return null;
    const options = { loader: "ts", target: "es2023", charset: "utf8", tsconfigRaw };
    return { code: (await transform(code, options)).code, map: null };
  },
};

/**
 * Removes whitespace and comments, which would add a twentieth to the memory of a stdio server. Names are kept and
 * lines are short, so that stack traces stay readable.
 */
const squeezed = {
  name: "squeezed",
  async renderChunk(code) {
    const options = { target: "es2023", charset: "utf8", minifyWhitespace: true, lineLimit: 120 };
    return { code: (await transform(code, options)).code, map: null };
  },
};

const args = process.argv.slice(2);
const wanted = args.filter((arg) => arg !== IF_CHANGED);
const unknown = wanted.filter((name) => !ORDER.includes(name));
if (unknown.length > 0)
  throw new Error(`Unknown packages: ${unknown.join(", ")}. Available packages: ${ORDER.join(", ")}.`);
if (wanted.length > 0) await buildPackages(ORDER.filter((one) => wanted.includes(one)));
else if (!args.includes(IF_CHANGED) || !isUpToDate()) await buildAll();

async function buildAll() {
  const inputs = hashInputs();
  await compileTypes("internal");
  await buildPackages(ORDER);
  writeStamp(inputs);
}

/** Bundles packages, and writes their declarations at the same time: neither needs the other. */
async function buildPackages(names) {
  for (const name of names) rmSync(resolve(packages, name, "dist"), { recursive: true, force: true });
  await Promise.all([inOrder(names, bundlePackage), inOrder(names, writeTypes)]);
}

async function inOrder(names, work) {
  for (const name of names) await work(name);
}

function readManifest(name) {
  return JSON.parse(readFileSync(resolve(packages, name, "package.json"), "utf8"));
}

async function bundlePackage(name) {
  const folder = resolve(packages, name);
  const output = resolve(folder, "dist");
  const manifest = readManifest(name);
  const entries = [...Object.values(manifest.exports), ...Object.values(manifest.bin ?? {})]
    .map((entry) => (typeof entry === "object" ? entry.default : entry))
    .filter((path) => path.startsWith("./dist/"))
    .map((path) => path.slice("./dist/".length, -".js".length));
  const bundled = new Set(BUNDLED[name] ?? []);
  const inlined = new Set(INLINED[name] ?? []);
  const licensed = new Set();
  const bundle = await rollup({
    input: Object.fromEntries(entries.map((entry) => [entry, resolve(folder, "src", `${entry}.ts`)])),
    external: (id) => !/^[./\0]/.test(id) && !id.startsWith(INTERNAL) && !inlined.has(id) && !bundled.has(id),
    plugins: [thirdParty(bundled, licensed), workspace(inlined), typescript, squeezed],
    // Modules have no side effects at import, so a chunk is loaded only if one of its exports is used.
    treeshake: { moduleSideEffects: false },
    onwarn(warning) {
      throw new Error(`Package "${name}": ${warning.message}`);
    },
  });
  await bundle.write({
    dir: output,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "shared/[name]-[hash].js",
    minifyInternalExports: false,
    hoistTransitiveImports: false,
    banner: ({ name: chunk }) =>
      manifest.bin !== undefined && chunk === "main" ? "#!/usr/bin/env node" : "",
    manualChunks(id) {
      const path = relative(packages, id).replaceAll("\\", "/");
      return CHUNKS[name]?.find(([, pattern]) => pattern.test(path))?.[0];
    },
  });
  for (const program of Object.values(manifest.bin ?? {})) chmodSync(resolve(folder, program), 0o755);
  if (PAGE_PACKAGES.includes(name)) for (const one of await buildPage(name)) licensed.add(one);
  if (licensed.size > 0) writeFileSync(resolve(output, "third-party-licenses.txt"), licenses(licensed));
}

/** Writes the declarations of a package. A package that only contains a program has none. */
async function writeTypes(name) {
  const { bin, exports } = readManifest(name);
  if (bin !== undefined && exports["."] === undefined) return;
  await compileTypes(name);
  copyInternalTypes(resolve(packages, name, "dist"));
}

/** Resolves relative imports and bundled workspace packages to their source files. */
function workspace(inlined) {
  return {
    name: "workspace",
    resolveId(id, importer) {
      if (id.startsWith(INTERNAL))
        return resolve(packages, "internal/src", `${id.slice(INTERNAL.length)}.ts`);
      if (inlined.has(id)) {
        const [, name, ...path] = id.split("/");
        return resolve(packages, name, "src", ...path, "index.ts");
      }
      return id.startsWith(".") && importer ? resolve(dirname(importer), id.replace(/\.js$/, ".ts")) : null;
    },
  };
}

/** Bundles third-party packages and collects the names of all packages in the bundle. */
function thirdParty(bundled, licensed) {
  return {
    name: "third-party",
    resolveId: (id) => (bundled.has(id) ? `\0${id}` : null),
    async load(id) {
      if (!id.startsWith("\0")) return null;
      const { outputFiles, metafile } = await build({
        stdin: { contents: `export * from "${id.slice(1)}"`, resolveDir: root },
        bundle: true,
        write: false,
        format: "esm",
        // The build of yaml for Node.js is CommonJS, whose exports cannot be re-exported.
        platform: id === "\0yaml" ? "browser" : "node",
        mainFields: ["module", "main"],
        target: "es2023",
        charset: "utf8",
        metafile: true,
      });
      for (const file of Object.keys(metafile.inputs)) {
        const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
        if (name !== undefined) licensed.add(name);
      }
      return outputFiles[0].text;
    },
  };
}

/** Returns the license texts of bundled packages, which must be distributed with them. */
function licenses(names) {
  const notices = [...names]
    .toSorted((a, b) => a.localeCompare(b))
    .map((name) => {
      const folder = resolve(root, "node_modules", name);
      const license = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
      if (license === undefined)
        throw new Error(`The bundled package "${name}" does not contain a license file.`);
      return `${name}\n\n${readFileSync(resolve(folder, license), "utf8").trim()}\n`;
    });
  return notices.join("\n---\n\n");
}

/** Writes a package's type declarations. Those that are written by hand are copied. @throws if the types are wrong */
async function compileTypes(name) {
  const tsc = resolve(root, "node_modules/typescript/bin/tsc");
  const config = resolve(packages, name, "tsconfig.build.json");
  const child = spawn(process.execPath, [tsc, "-p", config], { stdio: "inherit" });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`Package "${name}": its declarations could not be written.`);
  const source = resolve(packages, name, "src");
  for (const path of readdirSync(source, { recursive: true, encoding: "utf8" }))
    if (path.endsWith(".d.ts")) cpSync(resolve(source, path), resolve(packages, name, "dist", path));
}

/** Copies the `@tenon/internal` declarations that a package uses, and rewrites its imports to the copies. */
function copyInternalTypes(output) {
  const types = resolve(packages, "internal/dist");
  const copies = resolve(output, "internal");
  const copied = new Set();
  const copy = (module) => {
    const file = resolve(copies, `${module}.d.ts`);
    if (copied.has(file)) return file;
    copied.add(file);
    mkdirSync(dirname(file), { recursive: true });
    cpSync(resolve(types, `${module}.d.ts`), file);
    for (const [, other] of readFileSync(file, "utf8").matchAll(/from "(\.[^"]+)\.js"/g))
      copy(relative(copies, resolve(dirname(file), other)));
    return file;
  };
  for (const path of readdirSync(output, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".d.ts")) continue;
    const file = resolve(output, path);
    // Inferred types name the type argument of typed arrays, which TypeScript before 5.7 does not have.
    const text = readFileSync(file, "utf8").replaceAll("Uint8Array<ArrayBufferLike>", "Uint8Array");
    const linked = text.replaceAll(/"@tenon\/internal\/([^"]+)"/g, (_, module) => {
      const target = relative(dirname(file), copy(module))
        .replaceAll("\\", "/")
        .replace(/\.d\.ts$/, ".js");
      return `"${target.startsWith(".") ? target : `./${target}`}"`;
    });
    writeFileSync(file, linked);
  }
}
