/**
 * @fileoverview Finds installed packages, so that a missing one is reported at startup.
 * @module internal/command-line/locate-package
 */
import { createRequire } from "node:module";

/** Returns the path of an installed package's entry point. @throws if the package is not installed */
export function locatePackage(name: string): string {
  return createRequire(import.meta.url).resolve(name);
}
