/**
 * @fileoverview Selects the fields of a module that are passed to a server. Other members stay private.
 * @module kit/module-fields
 */

/** Returns the descriptive fields of a module that are present. */
export function describedBy(module: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(module).filter(([key, value]) => DESCRIBING.includes(key) && value !== undefined),
  );
}

const DESCRIBING: readonly string[] = ["title", "description", "mimeType", "annotations", "icons", "_meta"];
