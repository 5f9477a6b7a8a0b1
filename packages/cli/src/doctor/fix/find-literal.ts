/**
 * @fileoverview Finds a text as a literal in source code, in any spelling: quoted in three ways, with or without escape
 * sequences.
 * @module cli/doctor/fix/find-literal
 */

/** Literal in source code. */
export interface Literal {
  /** Index after the opening quote. */
  readonly start: number;
  /** Index of the closing quote. */
  readonly end: number;
  /** Spelling of each code point of the text. */
  readonly spellings: readonly string[];
}

/** Finds the literals whose value is `text`. */
export function findLiterals(source: string, text: string): readonly Literal[] {
  const codePoints = Array.from(text);
  const found: Literal[] = [];
  for (const { index, 0: quote } of source.matchAll(/["'`]/g)) {
    const literal = readLiteral(source, { start: index + 1, quote, codePoints });
    if (literal !== undefined) found.push(literal);
  }
  return found;
}

/**
 * Spells `to` in the manner of a literal whose value is `from`. If `to` only leaves out characters, the spelling of the
 * others does not change. Returns `undefined` if there is no safe spelling.
 */
export function respell(literal: Literal, from: string, to: string): string | undefined {
  const wanted = Array.from(to);
  let next = 0;
  let spelled = "";
  for (const [index, character] of Array.from(from).entries()) {
    if (character !== wanted[next]) continue;
    spelled += literal.spellings[index] ?? "";
    next++;
  }
  if (next === wanted.length) return spelled;
  return /^[\w:/.#-]*$/.test(to) ? to : undefined;
}

interface ReadOptions {
  readonly start: number;
  readonly quote: string;
  readonly codePoints: readonly string[];
}

function readLiteral(source: string, { start, quote, codePoints }: ReadOptions): Literal | undefined {
  const spellings: string[] = [];
  let at = start;
  for (const character of codePoints) {
    const spelling = spellingAt(source, { at, quote, character });
    if (spelling === undefined) return undefined;
    spellings.push(spelling);
    at += spelling.length;
  }
  return source[at] === quote ? { start, end: at, spellings } : undefined;
}

interface SpellingOptions {
  readonly at: number;
  readonly quote: string;
  readonly character: string;
}

/** Returns the spelling of a character at an index, or `undefined` if another character is there. */
function spellingAt(source: string, { at, quote, character }: SpellingOptions): string | undefined {
  if (source[at] === "\\") return escapeAt(source, at, character);
  if (character === "\n") {
    if (quote !== "`") return undefined;
    return ["\r\n", "\n"].find((lineBreak) => source.startsWith(lineBreak, at));
  }
  // A template with a variable is not a literal.
  if (quote === "`" && source.startsWith("${", at)) return undefined;
  return character !== quote && source.startsWith(character, at) ? character : undefined;
}

function escapeAt(source: string, at: number, character: string): string | undefined {
  const [spelling, code] = ESCAPE.exec(source.slice(at, at + MAX_ESCAPE)) ?? [];
  if (spelling === undefined || code === undefined) return undefined;
  return decode(code) === character ? spelling : undefined;
}

/** An escape sequence: a pair of surrogates, a code point, or one character. */
const ESCAPE =
  /^\\(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[^ux\r\n])/;
const MAX_ESCAPE = 12;
const SINGLE: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  f: "\f",
  v: "\v",
  "0": "\0",
};

function decode(code: string): string | undefined {
  if (code.length === 1) return SINGLE[code] ?? code;
  const units = code.split("\\").map((unit) => Number.parseInt(unit.replaceAll(/[^0-9a-f]/gi, ""), 16));
  const isValid = units.every((unit) => unit <= 0x10ffff);
  return isValid ? units.map((unit) => String.fromCodePoint(unit)).join("") : undefined;
}
