/**
 * @fileoverview Which members of a module a server is told of. Whatever else an application keeps on it stays there.
 * @module kit/module-fields
 */

/** The members of a module that describe it, as far as they are there. */
export function describedBy(module: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(module).filter(([key, value]) => DESCRIBING.includes(key) && value !== undefined),
  );
}

const DESCRIBING: readonly string[] = ["title", "description", "mimeType", "annotations", "icons", "_meta"];
