/**
 * @fileoverview Reads the source files of all packages, for checks of the code itself.
 * @module tools/source-files
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The project's root folder, without a trailing slash. */
export const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");

/** A source file and its imports. */
export interface SourceFile {
  /** Key in `SOURCE_ROOTS`, such as `tenon`. */
  readonly package: string;
  /** Key in `SOURCE_ROOTS` and the path below that folder, such as `tenon/core/server.ts`. */
  readonly path: string;
  readonly text: string;
  /** Relative imports, resolved to paths in the same form as `path`. */
  readonly files: readonly string[];
  /** Bare specifiers, such as `node:fs`, `zod`, or `@tenon/internal/json`. */
  readonly packages: readonly string[];
}

/** Matches the specifier in a static import, a re-export, a dynamic import, or a `require` call. */
const IMPORT = /(?:^(?:import|export)\b[^;"]*?\bfrom\s+|^import\s+|\b(?:import|require)\()"([^"]+)"/gm;

/** Names of all package folders. */
export const PACKAGE_FOLDERS: readonly string[] = readdirSync(`${ROOT}/packages`).toSorted();

/** Folders with source files, by the first part of their paths. The pages are programs of their own. */
export const SOURCE_ROOTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(PACKAGE_FOLDERS.map((folder) => [folder, `packages/${folder}/src`])),
  "agent-page": "packages/agent/page",
  "cli-page": "packages/cli/page",
};

/** Reads every source file. Type-only imports count, because type cycles are cycles too. */
export function readSourceFiles(): readonly SourceFile[] {
  return Object.entries(SOURCE_ROOTS).flatMap(([name, root]) =>
    readdirSync(`${ROOT}/${root}`, { recursive: true, encoding: "utf8" })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => {
        const text = readFileSync(`${ROOT}/${root}/${path}`, "utf8");
        const specifiers = [...text.matchAll(IMPORT)].map(([, specifier = ""]) => specifier);
        return {
          package: name,
          path: `${name}/${path}`,
          text,
          files: specifiers
            .filter((specifier) => specifier.startsWith("."))
            .map((specifier) => resolveImport(`${root}/${path}`, specifier)),
          packages: specifiers.filter((specifier) => !specifier.startsWith(".")),
        };
      }),
  );
}

/** Layers of code that is not part of a package. Each imports only the packages, itself, and the layers before it. */
export const SUPPORT_LAYERS: readonly (readonly string[])[] = [
  ["examples", "tools", "bench"],
  ["scripts"],
  ["tests"],
];

/** Import of a file that is not part of a package. */
export interface SupportImport {
  /** Path of the file, relative to the root. */
  readonly from: string;
  /** Imported file, relative to the root. */
  readonly to: string;
}

/** Reads the relative imports of all files that are not part of a package. */
export function readSupportImports(): readonly SupportImport[] {
  return SUPPORT_LAYERS.flat().flatMap((folder) =>
    readdirSync(`${ROOT}/${folder}`, { recursive: true, encoding: "utf8" })
      .filter((path) => /\.(?:ts|mjs)$/.test(path) && !path.includes("node_modules"))
      .map((path) => `${folder}/${path}`)
      .flatMap((from) =>
        [...readFileSync(`${ROOT}/${from}`, "utf8").matchAll(IMPORT)]
          .map(([, specifier = ""]) => specifier)
          .filter((specifier) => specifier.startsWith("."))
          .map((specifier) => ({ from, to: new URL(specifier, `file:///${from}`).pathname.slice(1) })),
      ),
  );
}

/** Resolves a relative import of a file to a path in the same form as `SourceFile.path`. */
function resolveImport(from: string, specifier: string): string {
  const path = new URL(specifier, `file:///${from}`).pathname.slice(1);
  const others = [".tsx", ".d.ts"].map((extension) => path.replace(/\.js$/, extension));
  const target = others.find((other) => existsSync(`${ROOT}/${other}`)) ?? path.replace(/\.js$/, ".ts");
  const [name, root] =
    Object.entries(SOURCE_ROOTS).find(([, folder]) => target.startsWith(`${folder}/`)) ?? [];
  return root === undefined ? target : `${name}${target.slice(root.length)}`;
}
