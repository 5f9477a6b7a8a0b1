/**
 * @fileoverview The `tenon doctor` command: checks a server for problems that break clients or mislead models, and fixes
 * some of them in the source.
 * @module cli/commands/doctor
 */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { ArgsDef } from "citty";
import {
  type Command,
  EXIT,
  type Invocation,
  type Terminal,
  usageError,
} from "@tenon/internal/command-line/command";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";
import { oneLine } from "@tenon/internal/text";
import { runWithClient, type Session } from "../client/session.js";
import {
  isJsonOutput,
  parseTarget,
  readTargetWords,
  TARGET_ARG,
  TARGET_ARGS,
  TARGET_HINTS,
  type TargetFlags,
} from "../client/target.js";
import type { Capture } from "../doctor/facts/capture.js";
import { callTools, parseCalls, planCalls, type PlannedCall } from "../doctor/facts/call-tools.js";
import { toFacts } from "../doctor/facts/facts.js";
import { readCapture } from "../doctor/facts/read-capture.js";
import { readSettings } from "../doctor/facts/read-settings.js";
import { type FixPlan, planFixes } from "../doctor/fix/plan-fixes.js";
import { readOwnFiles } from "../doctor/fix/own-files.js";
import { writeFixes } from "../doctor/fix/write-fixes.js";
import { describeReport } from "../doctor/report/describe-report.js";
import { fixedFindings, type Report, toJsonReport } from "../doctor/report/report.js";
import { ALL_RULES } from "../doctor/rules/all-rules.js";
import type { Rule } from "../doctor/rule.js";
import { countSeverities, type Diagnosis, runRules } from "../doctor/run-rules.js";

const ARGS: ArgsDef = {
  ...TARGET_ARG,
  fix: { type: "boolean", description: "Fix problems in the module's files, and keep a backup of each file" },
  "dry-run": { type: "boolean", description: "With --fix: show the changes without writing them" },
  call: {
    type: "boolean",
    description: "Also call tools with readOnlyHint: true that require no arguments, and check their results",
  },
  calls: {
    type: "string",
    valueHint: "file",
    description: 'Also make the calls in a JSON file, such as [{"tool":"search","arguments":{"query":"x"}}]',
  },
  rule: { type: "string", valueHint: "id", description: "Check only this rule. Can be repeated" },
  skip: { type: "string", valueHint: "id", description: "Do not check this rule. Can be repeated" },
  "max-warnings": {
    type: "string",
    valueHint: "number",
    description: "Fail if there are more warnings: exit with code 1",
  },
  ...TARGET_ARGS,
};

/** The `doctor` command. Exits with code 1 if it finds errors or too many warnings. */
export const doctorCommand: Command = {
  name: "doctor",
  usage: "tenon doctor",
  description: "Check a server for problems that break clients or mislead models",
  args: ARGS,
  repeatable: ["header", "rule", "skip"],
  takesProgram: true,
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
  async run(invocation, terminal) {
    const options = await readOptions(invocation, terminal);
    const { flags, rules, maxWarnings } = options;
    const { capture, skipped, path } = await runWithClient(flags, { terminal }, (session) =>
      examine(session, options.calls),
    );
    const facts = toFacts(capture);
    const diagnosis = runRules(rules, facts);
    const { plan, isWritten } = await fixFindings(diagnosis, options.fix, path);
    const fixed = fixedFindings({ plan, isWritten });
    const left = countSeverities(diagnosis.findings.filter((finding) => !fixed.has(finding)));
    const report: Report = {
      server: capture.server,
      revision: capture.revision,
      entries: {
        tools: capture.lists.tools.items.length,
        resources: capture.lists.resources.items.length,
        resourceTemplates: capture.lists.resourceTemplates.items.length,
        prompts: capture.lists.prompts.items.length,
      },
      diagnosis,
      notes: [...listNotes(capture, facts.isComplete), ...skippedNotes(skipped)],
      plan,
      isWritten,
      isOk: left.error === 0 && left.warning <= maxWarnings,
    };
    terminal.stdout.write(
      isJsonOutput(invocation)
        ? `${JSON.stringify(toJsonReport(report, terminal.cwd), null, 2)}\n`
        : describeReport(report, terminal),
    );
    return report.isOk ? EXIT.ok : EXIT.failure;
  },
};

interface Options {
  readonly flags: TargetFlags;
  readonly rules: readonly Rule[];
  readonly maxWarnings: number;
  /** Calls to make, or true to select them. Undefined for none. */
  readonly calls: readonly PlannedCall[] | true | undefined;
  readonly fix: "write" | "show" | undefined;
}

async function readOptions(invocation: Invocation, terminal: Terminal): Promise<Options> {
  const { text, isOn, all } = invocation;
  const flags = readFlags(invocation);
  const target = parseTarget(flags, terminal.env);
  const isFix = isOn("fix") === true;
  if (isOn("dry-run") === true && !isFix) throw usageError("--dry-run requires --fix.");
  if (isFix && target.kind !== "file")
    throw usageError("--fix requires a module as the server, because it changes the module's files.");
  const file = text("calls");
  if (file !== undefined && isOn("call") === true) throw usageError("Use either --call or --calls.");
  return {
    flags,
    rules: selectRules(all("rule"), all("skip")),
    maxWarnings: parseMaxWarnings(text("max-warnings")),
    calls: file === undefined ? isOn("call") === true || undefined : await readCalls(file, terminal.cwd),
    fix: isFix ? (isOn("dry-run") === true ? "show" : "write") : undefined,
  };
}

function readFlags(invocation: Invocation): TargetFlags {
  const target = invocation.text("target");
  if (target !== undefined && invocation.text("server") !== undefined) {
    throw usageError("The server is specified twice. Use either the argument or --server.");
  }
  const { flags } = readTargetWords(invocation, target === undefined ? [] : [target]);
  return { ...flags, server: flags.server ?? target };
}

function selectRules(only: readonly string[], skip: readonly string[]): readonly Rule[] {
  const ids = ALL_RULES.map(({ id }) => id);
  for (const id of [...only, ...skip]) {
    if (!ids.includes(id)) throw usageError(`Unknown rule "${oneLine(id, 60)}"${suggestion(id, ids)}`);
  }
  return ALL_RULES.filter(({ id }) => (only.length === 0 || only.includes(id)) && !skip.includes(id));
}

function parseMaxWarnings(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw usageError(`--max-warnings must be a non-negative integer; got "${oneLine(text, 40)}".`);
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

async function examine({ client, loaded }: Session, wanted: Options["calls"]): Promise<Examined> {
  const capture = await readCapture(client);
  const planned = wanted === true ? planCalls(capture.lists.tools.items) : (wanted ?? []);
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
  mode: Options["fix"],
  path: string | undefined,
): Promise<Fixing> {
  if (mode === undefined || path === undefined) return { plan: undefined, isWritten: false };
  const plan = planFixes(findings, await readOwnFiles(path));
  if (mode === "show" || plan.fixes.length === 0) return { plan, isWritten: false };
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
