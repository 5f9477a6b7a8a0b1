/**
 * @fileoverview Result of `tenon doctor`, its JSON form, and the diff of a fix. The JSON form is documented in docs/doctor/README.md.
 * @module cli/doctor/report/report
 */
import { relative } from "node:path";
import type { JsonObject } from "@tenon/internal/json";
import type { ListName } from "../../client/list-feature.js";
import type { Fix, FixPlan } from "../fix/plan-fixes.js";
import { docsUrl, type Finding } from "../rule.js";
import type { Diagnosis } from "../run-rules.js";
import { visible } from "../facts/place.js";

/** Result of the command. */
export interface Report {
  readonly server: JsonObject;
  readonly revision: string;
  /** Number of entries in each list. */
  readonly entries: Readonly<Record<ListName, number>>;
  readonly diagnosis: Diagnosis;
  /** Sentences about what could not be checked completely. */
  readonly notes: readonly string[];
  /** Changes, if they were requested. */
  readonly plan: FixPlan | undefined;
  /** True if the changes were written. */
  readonly isWritten: boolean;
  /** True if the command succeeds. */
  readonly isOk: boolean;
}

/** Returns the findings that written changes have fixed. */
export function fixedFindings({ plan, isWritten }: Pick<Report, "plan" | "isWritten">): ReadonlySet<Finding> {
  return new Set(isWritten ? plan?.fixes.flatMap(({ findings }) => findings) : []);
}

/** Converts a report to its JSON form. */
export function toJsonReport(report: Report, cwd: string): JsonObject {
  const { server, revision, diagnosis, notes, plan, isWritten, isOk } = report;
  const fixed = fixedFindings(report);
  const { name, version } = server;
  return {
    ok: isOk,
    server: {
      ...(typeof name === "string" ? { name } : {}),
      ...(typeof version === "string" ? { version } : {}),
    },
    revision,
    entries: report.entries,
    counts: diagnosis.counts,
    findings: diagnosis.findings.map((finding) => ({
      rule: finding.rule,
      severity: finding.severity,
      place: finding.place,
      message: finding.message,
      fix: finding.fix,
      docs: docsUrl(finding.rule),
      fixed: fixed.has(finding),
    })),
    checked: diagnosis.checked,
    notChecked: diagnosis.notChecked,
    notes,
    ...(plan === undefined
      ? {}
      : {
          fixes: plan.fixes.flatMap((fix) =>
            fix.findings.map(({ rule, place }) => ({
              rule,
              place,
              file: relative(cwd, fix.file.path) || fix.file.path,
              line: lineOf(fix),
              written: isWritten,
            })),
          ),
          unfixed: plan.unfixed.map(({ finding: { rule, place }, reason }) => ({ rule, place, reason })),
        }),
  };
}

/** Line of a file that a change concerns, counted from 1. */
function lineOf({ file, start }: Fix): number {
  return file.text.slice(0, start).split("\n").length;
}

/** Renders a change in the unified format, without the lines around it. */
export function renderFix(fix: Fix, cwd: string): readonly string[] {
  const { file, start, end, code } = fix;
  const { text } = file;
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const next = text.indexOf("\n", end);
  const to = next === -1 ? text.length : next;
  const before = text.slice(from, to).split("\n");
  const after = (text.slice(from, start) + code + text.slice(end, to)).split("\n");
  const path = relative(cwd, file.path) || file.path;
  const line = lineOf(fix);
  return [
    `--- ${visible(path)}`,
    `+++ ${visible(path)}`,
    `@@ -${line},${before.length} +${line},${after.length} @@`,
    ...before.map((one) => `-${shorten(one)}`),
    ...after.map((one) => `+${shorten(one)}`),
  ];
}

const MAX_LINE = 400;

function shorten(line: string): string {
  const shown = visible(line.replace(/\r$/, ""));
  return shown.length > MAX_LINE ? `${shown.slice(0, MAX_LINE - 1)}…` : shown;
}
