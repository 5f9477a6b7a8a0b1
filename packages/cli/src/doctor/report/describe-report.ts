/**
 * @fileoverview Formats the result of `tenon doctor` as text: one block per finding, grouped by severity.
 * @module cli/doctor/report/describe-report
 */
import type { Terminal } from "@tenon/internal/command-line/command";
import { bold, countOf, hasColors, widthOf, wrapText } from "@tenon/internal/command-line/text";
import { oneLine } from "@tenon/internal/text";
import { LIST_NAMES, LISTS } from "../../client/list-feature.js";
import { docsUrl, type Finding, SEVERITIES, type Severity } from "../rule.js";
import { fixedFindings, renderFix, type Report } from "./report.js";

/** Formats a report. Wraps it to a terminal's width. */
export function describeReport(report: Report, terminal: Pick<Terminal, "stdout" | "env" | "cwd">): string {
  const { stdout, env, cwd } = terminal;
  const page: Page = {
    strong: bold(stdout, env),
    paint: hasColors(stdout, env)
      ? (severity, text) => `\u001b[${COLORS[severity]}m${text}\u001b[39m`
      : (_, text) => text,
    width: Math.max(MIN_WIDTH, widthOf(stdout)),
  };
  const fixed = fixedFindings(report);
  const open = report.diagnosis.findings.filter((finding) => !fixed.has(finding));
  return [
    ...describeServer(report, page).flatMap((line) => wrapText(line, page.width)),
    ...SEVERITIES.flatMap((severity) =>
      describeGroup(
        severity,
        open.filter((finding) => finding.severity === severity),
        page,
      ),
    ),
    ...describeFixes(report, page, cwd),
    ...(report.notes.length === 0 ? [] : ["", ...report.notes.flatMap((note) => wrapText(note, page.width))]),
    "",
    ...summarize(report, open).flatMap((line) => wrapText(line, page.width)),
    "",
  ].join("\n");
}

const MIN_WIDTH = 40;
/** Number of findings of one rule that are shown. */
const MAX_SHOWN = 10;
const COLORS: Readonly<Record<Severity, number>> = { error: 31, warning: 33, info: 36 };
const TITLES: Readonly<Record<Severity, string>> = { error: "Errors", warning: "Warnings", info: "Advice" };

interface Page {
  readonly strong: (text: string) => string;
  readonly paint: (severity: Severity, text: string) => string;
  readonly width: number;
}

function describeServer({ server, revision, entries }: Report, { strong }: Page): readonly string[] {
  const text = (value: unknown, otherwise: string) =>
    typeof value === "string" ? oneLine(value, 200) : otherwise;
  const title = `${strong(text(server["name"], "(no name)"))} ${text(server["version"], "")}`.trimEnd();
  const counts = LIST_NAMES.map((name) => countOf(entries[name], LISTS[name].noun));
  return [`${title} (${revision}): ${counts.join(", ")}`];
}

function describeGroup(severity: Severity, findings: readonly Finding[], page: Page): readonly string[] {
  if (findings.length === 0) return [];
  const rules = [...new Set(findings.map(({ rule }) => rule))];
  return [
    "",
    page.strong(page.paint(severity, `${TITLES[severity]} (${findings.length})`)),
    ...rules.flatMap((rule) => {
      const own = findings.filter((finding) => finding.rule === rule);
      const rest = own.length - MAX_SHOWN;
      return [
        ...own.slice(0, MAX_SHOWN).flatMap((finding) => describeFinding(finding, page)),
        ...(rest > 0
          ? ["", `  ${rule}: ${countOf(rest, "more finding")}. Show all of them with --json.`]
          : []),
      ];
    }),
  ];
}

function describeFinding({ rule, severity, place, message, fix }: Finding, page: Page): readonly string[] {
  const indented = (text: string) =>
    wrapText(oneLine(text, MAX_TEXT), page.width - 4).map((line) => `    ${line}`);
  return [
    "",
    `  ${page.paint(severity, rule)}  ${oneLine(place, MAX_TEXT)}`,
    ...indented(message),
    ...indented(`Fix: ${fix}`),
    `    ${docsUrl(rule)}`,
  ];
}

const MAX_TEXT = 2_000;

function describeFixes({ plan, isWritten }: Report, page: Page, cwd: string): readonly string[] {
  if (plan === undefined) return [];
  const { fixes, unfixed } = plan;
  const title = isWritten ? "Fixed" : "Fixes";
  const noteOf = ({ rule, place }: Finding, reason: string) =>
    wrapText(oneLine(`Not fixed: ${rule} at ${place}. ${reason}`, MAX_TEXT), page.width);
  return [
    ...(fixes.length === 0 ? [] : ["", page.strong(`${title} (${fixes.length})`)]),
    ...fixes.flatMap((fix) => ["", ...renderFix(fix, cwd)]),
    ...(unfixed.length === 0 ? [] : [""]),
    ...unfixed.flatMap(({ finding, reason }) => noteOf(finding, reason)),
    ...(fixes.length + unfixed.length === 0
      ? ["", ...wrapText("No finding can be fixed automatically. Follow the advice above.", page.width)]
      : []),
  ];
}

function summarize({ diagnosis }: Report, open: readonly Finding[]): readonly string[] {
  const count = (severity: Severity) => open.filter((finding) => finding.severity === severity).length;
  const { checked, notChecked, cut } = diagnosis;
  const calls = notChecked.filter(({ needs }) => needs === "calls").length;
  const settings = notChecked.length - calls;
  const need = (number: number) => `${number} need${number === 1 ? "s" : ""}`;
  const reasons = [
    ...(calls === 0 ? [] : [`${need(calls)} --call`]),
    ...(settings === 0 ? [] : [`${need(settings)} a module that describes its deadlines`]),
  ];
  const missing = notChecked.length === 0 ? "" : `, ${notChecked.length} not checked: ${reasons.join(", ")}`;
  const numbers = [
    countOf(count("error"), "error"),
    countOf(count("warning"), "warning"),
    `${count("info")} advice`,
  ];
  return [
    `${numbers.join(", ")}. ${countOf(checked.length, "rule")} checked${missing}.`,
    ...(cut.length === 0 ? [] : [`Too many findings of ${cut.join(", ")}. Only the first 1000 are counted.`]),
  ];
}
