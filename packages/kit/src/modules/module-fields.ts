/**
 * @fileoverview Selects the module fields to send to clients. Other members stay private.
 * @module kit/modules/module-fields
 */

/** Returns a module's descriptive fields, such as `title`. Unset fields are omitted. */
export function describedBy(module: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(module).filter(([key, value]) => DESCRIBING.includes(key) && value !== undefined),
  );
}

/** Returns a module's `scopes` option, if it is set. */
export function scopesOption({ scopes }: { readonly scopes?: readonly string[] }): {
  readonly scopes?: readonly string[];
} {
  return scopes === undefined ? {} : { scopes };
}

const DESCRIBING: readonly string[] = ["title", "description", "mimeType", "annotations", "icons", "_meta"];
