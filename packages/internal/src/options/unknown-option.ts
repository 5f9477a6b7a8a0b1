/**
 * @fileoverview Describes an unknown option, with a suggestion for misspelled names and names from other libraries.
 * @module internal/options/unknown-option
 */
import { closestName } from "../names/closest-name.js";
import { printable } from "../text.js";

/** Describes an unknown option and its fix: ``unknown option `audiences`. Did you mean `audience`?``. */
export function describeUnknownOption(
  name: string,
  {
    rows,
    aliases,
  }: { readonly rows: Readonly<Record<string, unknown>>; readonly aliases: Readonly<Record<string, string>> },
): string {
  const known = Object.keys(rows);
  const meant = Object.hasOwn(aliases, name) ? aliases[name] : closestName(name, known);
  const fix =
    meant === undefined
      ? `Known options: ${known.map((one) => `\`${one}\``).join(", ")}.`
      : `Did you mean \`${meant}\`?`;
  return `unknown option \`${printable(name)}\`. ${fix}`;
}
