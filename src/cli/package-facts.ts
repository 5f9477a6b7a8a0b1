/**
 * @fileoverview Facts of the package that the program belongs to: its version, and where its templates are.
 * @module cli/package-facts
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isJsonObject } from "../internal/json.js";

/** What is known of the installed package. */
export interface PackageFacts {
  readonly version: string;
  readonly root: string;
}

/** Finds the package above this file, however it was built. */
export function packageFacts(): PackageFacts {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const version = readVersion(join(folder, "package.json"));
    if (version !== undefined) return { version, root: folder };
    const above = dirname(folder);
    if (above === folder) throw new Error("the package of this program is not complete: reinstall tenon");
    folder = above;
  }
}

function readVersion(path: string): string | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!isJsonObject(manifest) || manifest["name"] !== "tenon") return undefined;
    return typeof manifest["version"] === "string" ? manifest["version"] : undefined;
  } catch {
    return undefined; // none here, or somebody else's
  }
}
