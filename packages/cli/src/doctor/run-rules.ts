/**
 * @fileoverview Runs rules on the facts about a server, and counts their findings.
 * @module cli/doctor/run-rules
 */
import type { Facts } from "./facts/facts.js";
import { type Finding, type Rule, SEVERITIES, type Severity } from "./rule.js";

/** Findings of all rules, most severe first. */
export interface Diagnosis {
  readonly findings: readonly Finding[];
  /** Number of findings by severity. */
  readonly counts: Readonly<Record<Severity, number>>;
  /** IDs of the rules that ran. */
  readonly checked: readonly string[];
  /** Rules that did not run, because the facts that they require are not available. */
  readonly notChecked: readonly { readonly rule: string; readonly needs: "calls" | "settings" }[];
  /** Rules with more findings than the limit. Their other findings are left out. */
  readonly cut: readonly string[];
}

/** Runs rules. The findings of a rule are in the order of the definitions. */
export function runRules(rules: readonly Rule[], facts: Facts): Diagnosis {
  const findings: Finding[] = [];
  const cut: string[] = [];
  const isReady = ({ needs }: Rule) => needs === undefined || facts[needs] !== undefined;
  const ready = rules.filter(isReady);
  for (const { id, severity, check } of ready) {
    let count = 0;
    for (const problem of check(facts)) {
      if (++count > MAX_FINDINGS) {
        cut.push(id);
        break;
      }
      findings.push({ severity, ...problem, rule: id });
    }
  }
  const sorted = findings.toSorted((a, b) => rank(a) - rank(b));
  return {
    findings: sorted,
    counts: countSeverities(sorted),
    checked: ready.map(({ id }) => id),
    notChecked: rules.flatMap(({ id, needs }) =>
      needs === undefined || facts[needs] !== undefined ? [] : [{ rule: id, needs }],
    ),
    cut,
  };
}

/** Counts findings by severity. */
export function countSeverities(findings: readonly Finding[]): Readonly<Record<Severity, number>> {
  const counts = { error: 0, warning: 0, info: 0 };
  for (const { severity } of findings) counts[severity]++;
  return counts;
}

/** Maximum number of findings of one rule. */
const MAX_FINDINGS = 1_000;

function rank({ severity }: Finding): number {
  return SEVERITIES.indexOf(severity);
}
