/**
 * @fileoverview The `tenon doctor` command: checks a server for problems that break clients or mislead models, and fixes
 * some of them in the source.
 * @module cli/commands/doctor
 */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { EXIT, type Invocation, usageError } from "@tenon/internal/command-line/command";
import { repeated, toggle, value } from "@tenon/internal/command-line/flags";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";
import { integer } from "@tenon/internal/options/option-rows";
import { oneLine } from "@tenon/internal/text";
import { mapLists } from "../client/list-feature.js";
import { runWithClient, type Session } from "../client/session.js";
import { parseTarget, readServer, TARGET_ARG, TARGET_ARGS, TARGET_HINTS } from "../client/target.js";
import { defineCommand, printResult } from "../define-command.js";
import type { Capture } from "../doctor/facts/capture.js";
import {
  callTools,
  parseCalls,
  planCalls,
  type PlannedCall,
  readCapture,
  readSettings,
} from "../doctor/facts/read-capture.js";
import { toFacts } from "../doctor/facts/facts.js";
import { type FixPlan, planFixes } from "../doctor/fix/plan-fixes.js";
import { readOwnFiles } from "../doctor/fix/own-files.js";
import { writeFixes } from "../doctor/fix/write-fixes.js";
import { describeReport } from "../doctor/report/describe-report.js";
import { fixedFindings, type Report, toJsonReport } from "../doctor/report/report.js";
import { ALL_RULES } from "../doctor/rules/all-rules.js";
import type { Rule } from "../doctor/rule.js";
import { countSeverities, type Diagnosis, runRules } from "../doctor/run-rules.js";

const ARGS = {
  ...TARGET_ARG,
  fix: toggle("Fix problems in the module's files, and keep a backup of each file"),
  "dry-run": toggle("With --fix: show the changes without writing them", { requires: "fix" }),
  call: toggle("Also call tools with readOnlyHint: true that require no arguments, and check their results"),
  calls: value(
    "file",
    'Also make the calls in a JSON file, such as [{"tool":"search","arguments":{"query":"x"}}]',
    { excludes: "call" },
  ),
  rule: repeated("id", "Check only this rule"),
  skip: repeated("id", "Do not check this rule"),
  "max-warnings": value("number", "Fail if there are more warnings: exit with code 1", {
    option: integer({ min: 0 }),
  }),
  ...TARGET_ARGS,
};

/** The `doctor` command. Exits with code 1 if it finds errors or too many warnings. */
export const doctorCommand = defineCommand({
  name: "doctor",
  description: "Check a server for problems that break clients or mislead models",
  args: ARGS,
  hints: {
    ...TARGET_HINTS,
    ignore: "Did you mean --skip?",
    disable: "Did you mean --skip?",
    only: "Did you mean --rule?",
    strict: "Did you mean --max-warnings 0?",
  },
  examples: [
    "tenon doctor src/server.ts",
    "tenon doctor src/server.ts --fix --dry-run",
    "tenon doctor src/server.ts --max-warnings 0 --skip unbounded-array",
    "tenon doctor https://example.com/mcp --bearer-env TOKEN --json",
    "tenon doctor --call -- npx some-server",
  ],
  async run(given, terminal) {
    const flags = readServer(given);
    const { maxWarnings = Number.POSITIVE_INFINITY } = flags;
    if (flags.fix && parseTarget(flags, terminal.env).kind !== "file")
      throw usageError("--fix requires a module as the server, because it changes the module's files.");
    const rules = selectRules(flags);
    const calls = flags.calls === undefined ? flags.call : await readCalls(flags.calls, terminal.cwd);
    const { capture, skipped, path } = await runWithClient(flags, { terminal }, (session) =>
      examine(session, calls),
    );
    const facts = toFacts(capture);
    const diagnosis = runRules(rules, facts);
    const { plan, isWritten } = await fixFindings(diagnosis, flags, path);
    const fixed = fixedFindings({ plan, isWritten });
    const left = countSeverities(diagnosis.findings.filter((finding) => !fixed.has(finding)));
    const report: Report = {
      server: capture.server,
      revision: capture.revision,
      entries: mapLists((list) => capture.lists[list].items.length),
      diagnosis,
      notes: [...listNotes(capture, facts.isComplete), ...skippedNotes(skipped)],
      plan,
      isWritten,
      isOk: left.error === 0 && left.warning <= maxWarnings,
    };
    printResult(flags, terminal, {
      json: toJsonReport(report, terminal.cwd),
      text: () => describeReport(report, terminal),
    });
    return report.isOk ? EXIT.ok : EXIT.failure;
  },
});

type DoctorFlags = Invocation<typeof ARGS>;

function selectRules({ rule: only, skip }: DoctorFlags): readonly Rule[] {
  const ids = ALL_RULES.map(({ id }) => id);
  for (const id of [...only, ...skip]) {
    if (!ids.includes(id)) throw usageError(`Unknown rule "${oneLine(id, 60)}"${suggestion(id, ids)}`);
  }
  return ALL_RULES.filter(({ id }) => (only.length === 0 || only.includes(id)) && !skip.includes(id));
}

async function readCalls(file: string, cwd: string): Promise<readonly PlannedCall[]> {
  const content = await readFile(resolve(cwd, file), "utf8").catch(() => {
    throw usageError(`Could not read "${oneLine(file, 200)}".`);
  });
  return parseCalls(content, oneLine(file, 200));
}

interface Examined {
  readonly capture: Capture;
  /** Number of calls without a result. */
  readonly skipped: number;
  /** Absolute path of the module. Undefined for programs and URLs. */
  readonly path: string | undefined;
}

/** @param wanted calls to make, or true to select them */
async function examine(
  { client, loaded }: Session,
  wanted: readonly PlannedCall[] | boolean,
): Promise<Examined> {
  const capture = await readCapture(client);
  const selected = wanted === true ? planCalls(capture.lists.tools.items) : [];
  const planned = typeof wanted === "boolean" ? selected : wanted;
  const { calls, skipped } = await callTools(client, planned);
  const settings = readSettings(loaded?.origin.mcpServer);
  return {
    capture: {
      ...capture,
      ...(calls.length === 0 ? {} : { calls }),
      ...(settings === undefined ? {} : { settings }),
    },
    skipped,
    path: loaded?.module.path,
  };
}

interface Fixing {
  readonly plan: FixPlan | undefined;
  readonly isWritten: boolean;
}

async function fixFindings(
  { findings }: Diagnosis,
  { fix, dryRun }: DoctorFlags,
  path: string | undefined,
): Promise<Fixing> {
  if (!fix || path === undefined) return { plan: undefined, isWritten: false };
  const plan = planFixes(findings, await readOwnFiles(path));
  if (dryRun || plan.fixes.length === 0) return { plan, isWritten: false };
  await writeFixes(plan.fixes);
  return { plan, isWritten: true };
}

function listNotes({ lists }: Capture, isComplete: boolean): readonly string[] {
  const long = Object.entries(lists).flatMap(([name, { items, problem }]) =>
    problem?.kind === "too-long"
      ? [`The list \`${name}\` is too long. Only the first ${items.length} entries were checked.`]
      : [],
  );
  return isComplete ? long : [...long, "The schemas are too large. Some of them were not checked."];
}

function skippedNotes(skipped: number): readonly string[] {
  return skipped === 0
    ? []
    : [`${skipped} of the calls had no result: an error, a request for input, or a task.`];
}
