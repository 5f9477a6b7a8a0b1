/**
 * @fileoverview Reads the source files of all packages, for tests that check the code itself.
 * @module tests/support/source-files
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The project's root folder, without a trailing slash. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** A source file and its imports. */
export interface SourceFile {
  /** The package's folder below `packages/`, such as `tenon`. */
  readonly package: string;
  /** Package folder and path below its `src/`, such as `tenon/core/server.ts`. */
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

/** Reads every source file. Type-only imports count, because type cycles are cycles too. */
export function readSourceFiles(): readonly SourceFile[] {
  return PACKAGE_FOLDERS.flatMap((folder) =>
    readdirSync(`${ROOT}/packages/${folder}/src`, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => {
        const text = readFileSync(`${ROOT}/packages/${folder}/src/${path}`, "utf8");
        const specifiers = [...text.matchAll(IMPORT)].map(([, name = ""]) => name);
        const base = new URL(`${folder}/src/${path}`, "file:///packages/");
        return {
          package: folder,
          path: `${folder}/${path}`,
          text,
          files: specifiers
            .filter((name) => name.startsWith("."))
            .map((name) => {
              const target = new URL(name, base).pathname.replace(/\.js$/, ".ts");
              return target.replace(/^\/packages\/([^/]+)\/src\//, "$1/");
            }),
          packages: specifiers.filter((name) => !name.startsWith(".")),
        };
      }),
  );
}
