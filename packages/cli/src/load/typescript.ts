/**
 * @fileoverview Loads TypeScript files with the project's tsx, or with Node.js if it supports them.
 * @module cli/load/typescript
 */
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { cliError } from "@tenon/internal/command-line/command";

/** Installs a TypeScript loader if the file requires one. @throws {CliError} if none is available */
export async function prepareTypeScript(file: string, path: string, cwd: string): Promise<void> {
  if (![".ts", ".mts", ".cts", ".tsx"].includes(extname(path))) return;
  if (hasLoader()) return;
  const loader = findTsx(dirname(path)) ?? findTsx(cwd);
  if (loader !== undefined) {
    // This is the module that `node --import tsx` loads. Importing it installs the loader.
    await import(pathToFileURL(loader).href);
    return;
  }
  const { typescript } = process.features as { readonly typescript?: unknown };
  if (typescript === "strip" || typescript === "transform") return;
  throw cliError(
    `"${file}" is TypeScript, which Node.js ${process.version} cannot load. Install tsx: npm install --save-dev tsx`,
  );
}

function findTsx(folder: string): string | undefined {
  try {
    return createRequire(join(folder, "package.json")).resolve("tsx");
  } catch {
    return undefined;
  }
}

/** Returns true if Node.js was started with a TypeScript loader. */
function hasLoader(): boolean {
  const { execArgv, env } = process;
  return /\b(tsx|ts-node|swc-node|jiti)\b/.test([...execArgv, env["NODE_OPTIONS"] ?? ""].join(" "));
}
