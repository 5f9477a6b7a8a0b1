/**
 * @fileoverview Finds the version and folder of the package that a program belongs to.
 * @module internal/command-line/package-facts
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isJsonObject } from "../json.js";

/** Version and folder of an installed package. */
export interface PackageFacts {
  readonly version: string;
  readonly root: string;
}

/**
 * Finds the package `name` in the folders above `moduleUrl`. Works for source files and built files.
 *
 * @throws Error if none of the folders contains the package's `package.json`
 */
export function packageFacts(name: string, moduleUrl: string): PackageFacts {
  let folder = dirname(fileURLToPath(moduleUrl));
  for (;;) {
    const version = readVersion(join(folder, "package.json"), name);
    if (version !== undefined) return { version, root: folder };
    const above = dirname(folder);
    if (above === folder) {
      throw new Error(
        `The package "${name}" is incomplete: its package.json is missing. Reinstall it: npm install ${name}`,
      );
    }
    folder = above;
  }
}

function readVersion(path: string, name: string): string | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!isJsonObject(manifest) || manifest["name"] !== name) return undefined;
    return typeof manifest["version"] === "string" ? manifest["version"] : undefined;
  } catch {
    return undefined; // missing or invalid manifest
  }
}
