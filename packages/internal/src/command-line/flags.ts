/**
 * @fileoverview Describes the flags and arguments of a command once. Help texts, completions, checks, and the types of
 * the values come from this description.
 * @module internal/command-line/flags
 */
import type { ArgDef } from "citty";
import type { Option, Presence } from "../options/define-options.js";

/** Flag or argument. `Value` is its type after parsing. */
export type Flag<Value = unknown> = ArgDef & FlagFacts & { readonly carries?: { readonly value: Value } };

/** Flags and arguments by name, in the order of the help text. */
export type Flags = Readonly<Record<string, Flag>>;

/** Values of flags and arguments. The value of `--dry-run` is `dryRun`. */
export type FlagValues<Rows> = {
  readonly [Name in keyof Rows as CamelCase<Name & string>]: Rows[Name] extends {
    readonly carries?: { readonly value: infer Value };
  }
    ? Value
    : unknown;
};

/** Flags that must be given together with this one, or must not. */
export interface FlagRules {
  /** Flag without which this one has no effect. */
  readonly requires?: string;
  /** Flag that cannot be combined with this one. */
  readonly excludes?: string;
}

/** Facts that the help text does not show. */
interface FlagFacts extends FlagRules {
  readonly isRepeatable?: true;
  /** True if a flag without a value has no default, so that the command decides. */
  readonly isAuto?: true;
  /** Check and default of the value, and the environment variable that sets it. */
  readonly option?: Option;
}

/** Creates a required argument. */
export function argument(description: string): Flag<string> {
  return { type: "positional", description };
}

/** Creates an argument that can be left out. */
export function optionalArgument(description: string): Flag<string | undefined> {
  return { type: "positional", required: false, description };
}

/** Creates a flag with a value. `hint` stands for the value in the help text. */
export function value(hint: string, description: string, facts?: ValueFacts): Flag<string | undefined>;
/** Creates a flag whose value is checked, and converted from text. */
export function value<Value, When extends Presence>(
  hint: string,
  description: string,
  facts: Omit<ValueFacts, "option"> & { readonly option: Option<Value, When> },
): Flag<When extends "default" ? Value : Value | undefined>;
/** Creates a flag with a value. */
export function value(hint: string, description: string, facts: object = {}): Flag {
  return { type: "string", valueHint: hint, description, ...facts };
}

/** Short form of a flag with a value, and other flags that it depends on. */
interface ValueFacts extends FlagRules {
  readonly alias?: string;
  readonly option?: never;
}

/** Creates a flag with a value that can be given more than once. */
export function repeated(hint: string, description: string, rules: FlagRules = {}): Flag<readonly string[]> {
  const shown = `${description}. Can be repeated`;
  return { type: "string", valueHint: hint, description: shown, isRepeatable: true, ...rules };
}

/** Creates a flag whose value is one of the given words. */
export function choice<const Words extends readonly string[]>(
  words: Words,
  description: string,
): Flag<Words[number] | undefined> {
  return { type: "enum", options: [...words], description };
}

/** Creates a flag without a value, which is off unless it is given. */
export function toggle(
  description: string,
  facts: FlagRules & { readonly alias?: string } = {},
): Flag<boolean> {
  return { type: "boolean", description, ...facts };
}

/** Creates a flag that is on unless its negative form is given. */
export function toggleOff(description: string, negativeDescription: string): Flag<boolean> {
  return { type: "boolean", default: true, description, negativeDescription };
}

/** Creates a flag without a value. If neither form is given, the command decides. */
export function toggleAuto(description: string, negativeDescription?: string): Flag<boolean | undefined> {
  const negative = negativeDescription === undefined ? {} : { negativeDescription };
  return { type: "boolean", description, isAuto: true, ...negative };
}

/** Converts the name of a flag: `dryRun` for `dry-run`. */
export function toCamelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

type CamelCase<Name extends string> = Name extends `${infer Start}-${infer Rest}`
  ? `${Start}${Capitalize<CamelCase<Rest>>}`
  : Name;
