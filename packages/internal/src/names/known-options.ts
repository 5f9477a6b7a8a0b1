/**
 * @fileoverview Rejects unknown options, so that a misspelled option fails at startup instead of being ignored.
 * @module internal/names/known-options
 */
import { closestName } from "./closest-name.js";
import { printable } from "../text.js";

/** Names of all options in a type. The compiler rejects a table with a missing or extra name. */
export type OptionNames<Options> = { readonly [Name in keyof Options]-?: true };

/** Options that one function or definition accepts. */
export interface OptionRule {
  /** Start of the error message, such as `Tool "forecast"` or `serve`. */
  readonly label: string;
  /** Names of the known options. */
  readonly names: Readonly<Record<string, true>>;
  /** Names from other libraries, and the option to suggest instead: `{ inputSchema: "input" }`. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** Throws a `TypeError` if `options` has an unknown property, even one that is set to `undefined`. */
export function assertKnownOptions(options: object, rule: OptionRule): void {
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(rule.names, name))
      throw new TypeError(`${rule.label}: ${describeUnknownOption(name, rule)}`);
  }
}

/** Describes an unknown option and its fix: ``unknown option `audiences`. Did you mean `audience`?``. */
export function describeUnknownOption(
  name: string,
  { names, aliases = {} }: Omit<OptionRule, "label">,
): string {
  const known = Object.keys(names);
  const meant = Object.hasOwn(aliases, name) ? aliases[name] : closestName(name, known);
  const fix =
    meant === undefined
      ? `Known options: ${known.map((one) => `\`${one}\``).join(", ")}.`
      : `Did you mean \`${meant}\`?`;
  return `unknown option \`${printable(name)}\`. ${fix}`;
}
