/**
 * @fileoverview Lists the packages that npm has installed.
 * @module tests/support/installed-packages
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Returns the names of all packages in a project's `node_modules`, including nested ones. */
export function installedPackages(project: string): readonly string[] {
  return readdirSync(join(project, "node_modules"), { recursive: true, encoding: "utf8" })
    .map((path) => /^(?:.+\/node_modules\/)?((?:@[^/]+\/)?[^./@][^/]*)\/package\.json$/.exec(path)?.[1])
    .filter((name) => name !== undefined)
    .toSorted();
}
