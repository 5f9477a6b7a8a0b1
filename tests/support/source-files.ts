/**
 * @fileoverview The project's own source, for tests that look at it.
 * @module tests/support/source-files
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The project's root folder, without a slash at its end. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** A source file: its path below `src/`, its text, and the files below `src/` and packages that it imports. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly files: readonly string[];
  readonly packages: readonly string[];
}

/** The specifier of a static import, a re-export or a dynamic import. */
const IMPORT = /(?:^(?:import|export)\b[^;"]*?\bfrom\s+|^import\s+|\bimport\()"([^"]+)"/gm;

/** Every source file. Type-only imports count: a cycle of types is a cycle. */
export function readSourceFiles(): readonly SourceFile[] {
  return readdirSync(`${ROOT}/src`, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => {
      const text = readFileSync(`${ROOT}/src/${path}`, "utf8");
      const specifiers = [...text.matchAll(IMPORT)].map(([, name = ""]) => name);
      const base = new URL(path, "file:///");
      return {
        path,
        text,
        files: specifiers
          .filter((name) => name.startsWith("."))
          .map((name) => new URL(name, base).pathname.slice(1).replace(/\.js$/, ".ts")),
        packages: specifiers.filter((name) => !name.startsWith(".")),
      };
    });
}
