/**
 * @fileoverview Checks every regular expression of the packages: no input may take more than linear time, unless the
 * length of the input is limited.
 * @module tools/attack/scenarios/redos
 */
import { type AttackContext, Findings } from "../context.js";
import { readData, writeData } from "../data/read-data.js";
import { checkRegexes, type RegexVerdict } from "../redos/check.js";
import { collectRegexes, type DynamicRegex, type FoundRegex } from "../redos/collect.js";

/** Regular expression that is not linear, and the reason why this does not matter. */
interface RegexException {
  readonly file: string;
  readonly pattern: string;
  readonly flags: string;
  /** Maximum length of the input in characters. */
  readonly maxLength: number;
  readonly reason: string;
}

/** Call of `RegExp` that is not constant, with the expressions that it creates. */
interface ReviewedCall {
  readonly file: string;
  readonly source: string;
  readonly reason: string;
  readonly examples: readonly (readonly [pattern: string, flags: string])[];
}

interface Reviewed {
  readonly dynamic: readonly ReviewedCall[];
  readonly exceptions: readonly RegexException[];
}

/** Maximum time in milliseconds that an exception may take for the worst input of its maximum length. */
const MAX_MS = 100;

/** Runs the check. */
export async function redos({ figures, print, isShort }: AttackContext): Promise<void> {
  const reviewed = readData("regexes.json") as Reviewed; // Safe: the file belongs to this check
  const { files, regexes, dynamic } = collectRegexes();
  const unknownCalls = new Findings(print);
  for (const call of dynamic) {
    if (!reviewed.dynamic.some((one) => isSameCall(one, call)))
      unknownCalls.add(
        `packages/${call.file}:${call.line} creates a regular expression that is not reviewed: ${call.source}`,
      );
  }
  const staleCalls = reviewed.dynamic.filter((one) => !dynamic.some((call) => isSameCall(one, call)));
  for (const { file, source } of staleCalls)
    print(`packages/${file} no longer has ${source}. Remove it from the list.`);
  const examples = reviewed.dynamic.flatMap((call) =>
    call.examples.map(([pattern, flags]) => ({ file: call.file, line: 0, pattern, flags })),
  );
  const all = [...regexes, ...examples];
  const unique = [...new Map(all.map((regex) => [textOf(regex), regex])).values()];
  const known = new Set(readData(CHECKED) as readonly string[]); // Safe: `writeData` wrote it
  const isException = ({ pattern, flags }: FoundRegex) =>
    reviewed.exceptions.some((one) => one.pattern === pattern && one.flags === flags);
  const open = isShort ? unique.filter((regex) => !known.has(textOf(regex)) && !isException(regex)) : unique;
  const verdicts = await checkRegexes(open, print);
  const vulnerable = new Findings(print);
  const slow = new Findings(print);
  const used = new Set<RegexException>();
  for (const verdict of verdicts.filter((one) => one.status !== "safe")) {
    const { regex, status, detail } = verdict;
    const rule = reviewed.exceptions.find(
      (one) => one.pattern === regex.pattern && one.flags === regex.flags,
    );
    if (rule === undefined)
      vulnerable.add(
        `packages/${regex.file}:${regex.line} is ${status}: /${regex.pattern}/${regex.flags}: ${detail}`,
      );
    else {
      used.add(rule);
      const ms = worstTime(verdict, rule.maxLength);
      if (ms > MAX_MS)
        slow.add(`packages/${regex.file}:${regex.line} takes ${ms} ms for ${rule.maxLength} characters`);
    }
  }
  // An expression without a proof is measured, so a fast machine may find it safe. Only expressions that are gone count.
  const stale = reviewed.exceptions.filter((rule) => !unique.some((regex) => textOf(regex) === textOf(rule)));
  for (const rule of stale)
    print(`packages/${rule.file} no longer has /${rule.pattern}/${rule.flags}. Remove it from the list.`);
  figures.atLeast("source files", files, 100);
  figures.atLeast("different regular expressions", unique.length, 100);
  figures.note("expressions that were checked now", open.length);
  figures.exactly("vulnerable or undecided", vulnerable.count, 0);
  figures.note("reviewed exceptions with a limited input", used.size);
  figures.exactly("exceptions that are slow at their maximum length", slow.count, 0);
  figures.exactly("calls of RegExp that are not reviewed", unknownCalls.count, 0);
  figures.exactly("reviews that are out of date", stale.length + staleCalls.length, 0);
  if (isShort) return;
  const safe = verdicts
    .filter(({ status, regex }) => status === "safe" && !isException(regex))
    .map(({ regex }) => textOf(regex));
  if (writeData(CHECKED, safe.toSorted())) print(`Updated ${CHECKED}, which the short form uses. Commit it.`);
}

/** Expressions that a full run found safe. The short form checks only the others, because each takes half a second. */
const CHECKED = "checked-regexes.json";

function textOf({ pattern, flags }: Pick<FoundRegex, "pattern" | "flags">): string {
  return `/${pattern}/${flags}`;
}

function isSameCall(one: ReviewedCall, call: DynamicRegex): boolean {
  return one.file === call.file && one.source === call.source;
}

/** Measures the worst known input of a length. */
function worstTime({ regex, attack }: RegexVerdict, maxLength: number): number {
  const expression = new RegExp(regex.pattern, regex.flags);
  const start = performance.now();
  expression.exec(attack(maxLength));
  return Math.round(performance.now() - start);
}
