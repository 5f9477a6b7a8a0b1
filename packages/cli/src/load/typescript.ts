/**
 * @fileoverview TypeScript files: loaded by the project's own tsx, or by Node where it can.
 * @module cli/load/typescript
 */
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { cliError } from "@tenon/internal/command-line/command";

/** Makes sure that a file can be imported. @throws CliError where it is TypeScript and nothing can read that */
export async function prepareTypeScript(file: string, path: string, cwd: string): Promise<void> {
  if (![".ts", ".mts", ".cts", ".tsx"].includes(extname(path))) return;
  if (hasLoader()) return;
  const loader = findTsx(dirname(path)) ?? findTsx(cwd);
  if (loader !== undefined) {
    // The module that `node --import tsx` loads: it takes effect by being loaded.
    await import(pathToFileURL(loader).href);
    return;
  }
  const { typescript } = process.features as { readonly typescript?: unknown };
  if (typescript === "strip" || typescript === "transform") return;
  throw cliError(`${file} is TypeScript, which this Node cannot load: npm install --save-dev tsx`);
}

function findTsx(folder: string): string | undefined {
  try {
    return createRequire(join(folder, "package.json")).resolve("tsx");
  } catch {
    return undefined;
  }
}

/** Whether Node was started with a loader for TypeScript. */
function hasLoader(): boolean {
  const { execArgv, env } = process;
  return /\b(tsx|ts-node|swc-node|jiti)\b/.test([...execArgv, env["NODE_OPTIONS"] ?? ""].join(" "));
}
