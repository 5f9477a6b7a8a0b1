/**
 * @fileoverview The kinds of options: each knows which values it accepts, and says so in error messages.
 * @module internal/options/option-rows
 */
import { kindOf, showValue } from "../kind-of.js";
import type { Option, OptionFacts, OptionRows, OptionsOf, OptionTable, Presence } from "./define-options.js";

/** Range of a number, and other values that are valid too, such as `"auto"` or `null`. */
interface NumberFacts extends OptionFacts<number | Word> {
  readonly min?: number;
  readonly max?: number;
  readonly or?: readonly Word[];
}

/** Creates an option that takes an integer. @default `min` is 1 */
export function integer<const Facts extends NumberFacts>(
  facts?: Facts,
): Option<number | WordOf<Facts>, WhenOf<Facts>> {
  const { min = 1, max, or = [] } = facts ?? {};
  const kind =
    max !== undefined
      ? "an integer"
      : min === 0
        ? "a non-negative integer"
        : min === 1
          ? "a positive integer"
          : "an integer";
  return {
    ...(facts as OptionFacts<number | WordOf<Facts>>), // Safe: the default is a number or one of the words
    expected: (name) => `${kind}${range(min, max)}${unitOf(name)}${orElse(or)}`,
    accepts: (value) =>
      (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= (max ?? Infinity)) ||
      isOneOf(or, value),
    fromText: (text) => (/^-?\d+$/.test(text) ? Number(text) : text),
  };
}

/** Creates an option that takes a finite number. @default `min` is 0 */
export function number<const Facts extends NumberFacts>(
  facts?: Facts,
): Option<number | WordOf<Facts>, WhenOf<Facts>> {
  const { min = 0, max, or = [] } = facts ?? {};
  const kind = max === undefined && min === 0 ? "a non-negative number" : "a number";
  return {
    ...(facts as OptionFacts<number | WordOf<Facts>>), // Safe: the default is a number or one of the words
    expected: (name) => `${kind}${range(min, max)}${unitOf(name)}${orElse(or)}`,
    accepts: (value) =>
      (typeof value === "number" && value >= min && value <= (max ?? Infinity)) || isOneOf(or, value),
    fromText: (text) => (/^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text),
  };
}

/** Creates an option that takes `true` or `false`. */
export function flag<const Facts extends OptionFacts<boolean>>(
  facts?: Facts,
): Option<boolean, WhenOf<Facts>> {
  return {
    ...facts,
    expected: "true or false",
    accepts: (value) => typeof value === "boolean",
    fromText: (text) => ({ true: true, false: false })[text] ?? text,
  };
}

/** Creates an option that takes a string. It must not be empty, unless `allowEmpty` is set. */
export function text<const Facts extends TextFacts>(facts?: Facts): Option<string, WhenOf<Facts>> {
  const { allowEmpty = false, pattern = allowEmpty ? /(?:)/ : /^[\s\S]/ } = facts ?? {};
  const expected = facts?.expected ?? (allowEmpty ? "a string" : "a non-empty string");
  return { ...facts, expected, accepts: (value) => typeof value === "string" && pattern.test(value) };
}

/** Form of a text. */
interface TextFacts extends OptionFacts<string> {
  readonly pattern?: RegExp;
  readonly allowEmpty?: true;
  /** Phrase that follows "must be". */
  readonly expected?: string;
}

/** Creates an option that takes an array of strings. */
export function texts<const Facts extends TextsFacts>(
  facts?: Facts,
): Option<readonly string[], WhenOf<Facts>> {
  const { isItem = () => true, maxItems = Infinity, isSecret } = facts ?? {};
  const expected = facts?.expected ?? "an array of strings";
  const accepts = (item: unknown) => typeof item === "string" && isItem(item);
  return {
    got: (value) => {
      if (!Array.isArray(value)) return (isSecret === true ? kindOf : showValue)(value);
      if (value.length > maxItems) return `${value.length} items`;
      return `an array whose item ${value.findIndex((item) => !accepts(item))} is invalid`;
    },
    ...facts,
    expected,
    accepts: (value) => Array.isArray(value) && value.length <= maxItems && value.every(accepts),
    fromText: (list) => [...new Set(list.split(/[\s,]+/))].filter((item) => item !== ""),
  };
}

/** Form of the items of an array. */
interface TextsFacts extends OptionFacts<readonly string[]> {
  readonly isItem?: (item: string) => boolean;
  readonly maxItems?: number;
  /** Phrase that follows "must be". */
  readonly expected?: string;
}

/** Creates an option that takes one of the given words. */
export function oneOf<const Words extends readonly Word[], const Facts extends OptionFacts<Words[number]>>(
  words: Words,
  facts?: Facts,
): Option<Words[number], WhenOf<Facts>> {
  return { ...facts, expected: orList(words), accepts: (value) => isOneOf(words, value) };
}

/** Creates an option that takes a function. */
export function callback<Callback>(facts: OptionFacts<Callback> & IsRequired): Option<Callback, "required">;
export function callback<Callback>(facts: OptionFacts<Callback> & HasDefault): Option<Callback, "default">;
export function callback<Callback>(facts?: OptionFacts<Callback>): Option<Callback, "optional">;
export function callback<Callback>(facts?: OptionFacts<Callback>): Option<Callback> {
  return { ...facts, expected: "a function", accepts: (value) => typeof value === "function" };
}

/** Option whose value is an object with options of its own. */
export interface ObjectOption<Rows extends OptionRows, When extends Presence> extends Option<
  OptionsOf<OptionTable<Rows>>,
  When
> {
  readonly members: OptionTable<Rows>;
}

/** Creates an option whose value is an object with options of its own. Missing members get their defaults. */
export function object<Rows extends OptionRows, const Facts extends OptionFacts = OptionFacts>(
  members: OptionTable<Rows>,
  facts?: Facts,
): ObjectOption<Rows, WhenOf<Facts> extends "optional" ? "default" : WhenOf<Facts>> {
  // Safe: only the type of the default differs, and a default for an object is not used.
  return { ...(facts as object), expected: "an object", accepts: () => true, members };
}

/** Creates an option with its own check. Without `accepts`, any value is valid, and the function checks it itself. */
export function custom<Value>(facts: CustomFacts<Value> & IsRequired): Option<Value, "required">;
export function custom<Value>(facts: CustomFacts<Value> & HasDefault): Option<Value, "default">;
export function custom<Value>(facts?: CustomFacts<Value>): Option<Value, "optional">;
export function custom<Value>(facts?: CustomFacts<Value>): Option<Value> {
  return { expected: "valid", accepts: () => true, ...facts };
}

/** Check of a value that no other kind of option covers. */
interface CustomFacts<Value> extends OptionFacts<Value> {
  readonly expected?: string;
  readonly accepts?: (value: unknown) => boolean;
  readonly fromText?: (text: string) => unknown;
}

/** Value that is valid by itself. */
type Word = string | boolean | null;

type WordOf<Facts> = Facts extends { readonly or: readonly (infer One)[] } ? One : never;

interface IsRequired {
  readonly required: true;
}

interface HasDefault {
  readonly default: unknown;
}

type WhenOf<Facts> = Facts extends IsRequired
  ? "required"
  : Facts extends HasDefault
    ? "default"
    : "optional";

function isOneOf(words: readonly unknown[], value: unknown): boolean {
  return words.includes(value);
}

function range(min: number, max: number | undefined): string {
  if (max !== undefined) return ` from ${min} to ${max}`;
  return min > 1 ? ` of at least ${min}` : "";
}

/** Returns the unit that an option's name ends with, in parentheses. */
function unitOf(name: string): string {
  const [unit] = Object.entries(UNITS).find(([, ending]) => name.endsWith(ending)) ?? [];
  return unit === undefined ? "" : ` (${unit})`;
}

const UNITS = { milliseconds: "Ms", seconds: "Seconds", bytes: "Bytes" } as const;

function orElse(words: readonly Word[]): string {
  return words.length === 0 ? "" : ` or ${orList(words)}`;
}

/** Joins words: `"fail" or "retry"`. */
function orList(words: readonly unknown[]): string {
  const quoted = words.map((word) => (typeof word === "string" ? `"${word}"` : String(word)));
  return quoted.length < 3 ? quoted.join(" or ") : `${quoted.slice(0, -1).join(", ")}, or ${quoted.at(-1)}`;
}
