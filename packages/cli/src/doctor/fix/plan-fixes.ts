/**
 * @fileoverview Plans the changes that fix findings: each replaces one literal that occurs exactly once in the module's
 * own files.
 * @module cli/doctor/fix/plan-fixes
 */
import type { Finding } from "../rule.js";
import type { OwnFile } from "./own-files.js";

/** Change of a source file that fixes findings. */
export interface Fix {
  readonly file: OwnFile;
  /** Range of the literal in the file, without its quotes. */
  readonly start: number;
  readonly end: number;
  /** Source code of the new literal. */
  readonly code: string;
  /** Findings that the change fixes. */
  readonly findings: readonly Finding[];
}

/** Finding that cannot be fixed in the source, although a fix is known. */
export interface Unfixed {
  readonly finding: Finding;
  readonly reason: string;
}

/** Changes, and findings that remain. */
export interface FixPlan {
  readonly fixes: readonly Fix[];
  readonly unfixed: readonly Unfixed[];
}

/** Plans the changes for the findings that have an edit. */
export function planFixes(findings: readonly Finding[], files: readonly OwnFile[]): FixPlan {
  const fixes = new Map<string, Fix>();
  const unfixed: Unfixed[] = [];
  for (const finding of findings) {
    const planned = planFix(finding, files);
    if (planned === undefined) continue;
    if (typeof planned === "string") {
      unfixed.push({ finding, reason: planned });
      continue;
    }
    const key = `${planned.start} ${planned.file.path}`;
    const known = fixes.get(key);
    fixes.set(key, known === undefined ? planned : { ...known, findings: [...known.findings, finding] });
  }
  return { fixes: [...fixes.values()], unfixed };
}

/** Returns the change for a finding, the reason why it cannot be made, or `undefined` if no fix is known. */
function planFix(finding: Finding, files: readonly OwnFile[]): Fix | string | undefined {
  const { edit } = finding;
  if (edit === undefined) return undefined;
  const found = files.flatMap((file) =>
    findLiterals(file.text, edit.from).map((literal) => ({ file, literal })),
  );
  const [only] = found;
  if (only === undefined) {
    return "The text is not one literal in the module's own files. It is composed, or it comes from a package or from data.";
  }
  if (found.length > 1) return `The text occurs ${found.length} times in the module's own files.`;
  if (/^\/\/# sourceMappingURL=/m.test(only.file.text)) {
    return "The file is compiled. Fix the source, and compile it again.";
  }
  const code = respell(only.literal, edit.from, edit.to);
  if (code === undefined || !isValid(only, code, edit.to))
    return "The new text has no safe spelling in this literal.";
  return { file: only.file, start: only.literal.start, end: only.literal.end, code, findings: [finding] };
}

/** Checks that the changed literal has the new value. */
function isValid(
  { file, literal }: { readonly file: OwnFile; readonly literal: Literal },
  code: string,
  to: string,
) {
  const quote = file.text[literal.end] ?? "";
  return findLiterals(quote + code + quote, to).some(({ start }) => start === 1);
}

/** Literal in source code. */
interface Literal {
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
