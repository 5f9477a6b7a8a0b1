/**
 * @fileoverview Import rules for the official examples of version 1.
 * @module tools/official-examples/v1-rules
 */
import type { ImportRules } from "./rewrite-imports.js";

/** Names that `@tenon/sdk` provides, and the modules of the official package that also do. */
const PROVIDED: Readonly<Record<string, readonly string[]>> = {
  "@modelcontextprotocol/sdk/server/mcp.js": ["McpServer", "ResourceTemplate"],
  "@modelcontextprotocol/sdk/server/index.js": ["Server"],
  "@modelcontextprotocol/sdk/server/completable.js": ["completable"],
};

/** Imports of an unmodified example: paths within the official package become names of its modules. */
export const OFFICIAL_V1: ImportRules = { specifierOf: toPackageSpecifier, moduleOf: () => undefined };

/** Imports of an example on Tenon. */
export const TENON_V1: ImportRules = {
  specifierOf: toPackageSpecifier,
  moduleOf: (specifier, name) =>
    (PROVIDED[toPackageSpecifier(specifier)] ?? []).includes(name) ? "@tenon/sdk" : undefined,
};

/**
 * Returns the package specifier of a relative path from `examples/server` or `test/conformance/src`. Other examples are
 * copied too, so their paths stay.
 */
function toPackageSpecifier(specifier: string): string {
  const [, path] = /^\.\.\/(?:\.\.\/(?:\.\.\/src\/)?|(?=shared\/))(.+)$/.exec(specifier) ?? [];
  if (path === undefined) return specifier;
  const isShared = specifier.startsWith("../shared/");
  return `@modelcontextprotocol/sdk/${isShared ? `examples/${path}` : path}`;
}
