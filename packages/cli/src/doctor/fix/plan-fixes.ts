/**
 * @fileoverview Plans the changes that fix findings: each replaces one literal that occurs exactly once in the module's
 * own files.
 * @module cli/doctor/fix/plan-fixes
 */
import type { Finding } from "../rule.js";
import { findLiterals, type Literal, respell } from "./find-literal.js";
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
