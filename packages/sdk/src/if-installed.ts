/**
 * @fileoverview Selects between the types of an optional package and our own. TypeScript resolves the types of a
 * package that is not installed to `any`.
 * @module sdk/if-installed
 */

/**
 * Returns `Installed` if `Probe` is an object type of an installed package, or `Fallback` if that package is missing.
 * The test is on the keys: TypeScript does not evaluate conditions on the type of a failed import itself.
 */
export type IfInstalled<Probe, Installed, Fallback> = string extends keyof Probe ? Fallback : Installed;
