/**
 * @fileoverview The `tenon tokens` command: counts the tokens that a server's definitions cost the model.
 * @module cli/commands/tokens
 */
import type { ArgsDef } from "citty";
import {
  type Command,
  EXIT,
  type Invocation,
  type Terminal,
  usageError,
} from "@tenon/internal/command-line/command";
import {
  isJsonOutput,
  readTargetWords,
  TARGET_ARG,
  TARGET_ARGS,
  TARGET_HINTS,
  type TargetFlags,
} from "../client/target.js";
import { createLiveSteps, runStep } from "../steps.js";
import { compareReports, readBaseline } from "../tokens/baseline.js";
import { describeReport } from "../tokens/describe.js";
import { findExcess, parseCount } from "../tokens/limits.js";
import { measure, type TokenReport } from "../tokens/measure.js";
import { readDefinitions } from "../tokens/read-definitions.js";
import { loadTokenizer } from "../tokens/tokenizer.js";
import type { Definitions, ViewKey } from "../tokens/views.js";

const ARGS: ArgsDef = {
  ...TARGET_ARG,
  max: {
    type: "string",
    valueHint: "tokens",
    description: "Fail if the total is higher: exit with code 1",
  },
  "max-per-tool": {
    type: "string",
    valueHint: "tokens",
    description: "Fail if a tool costs more: exit with code 1",
  },
  baseline: {
    type: "string",
    valueHint: "file",
    description: "Compare with the result of an earlier run with --json",
  },
  sort: {
    type: "enum",
    options: ["tokens", "name"],
    description: "Order of the tools in the table (default: tokens)",
  },
  top: { type: "string", valueHint: "number", description: "Show only this many tools in the table" },
  actions: {
    type: "boolean",
    description: "Show what each action of a grouped tool costs as a separate tool",
  },
  view: {
    type: "enum",
    options: ["listed", "flat"],
    description:
      "Tools to count: as the server lists them, or with one tool per action (default: listed). " +
      "flat requires a module",
  },
  scope: {
    type: "string",
    valueHint: "scopes",
    description:
      "Count what a caller with these scopes sees, separated by spaces or commas. Can be repeated. Requires a module",
  },
  tags: {
    type: "string",
    valueHint: "tags",
    description:
      "Count only tools with all of these tags, as in server.view(). Can be repeated. Requires a module",
  },
  "any-tag": {
    type: "string",
    valueHint: "tags",
    description: "Count only tools with at least one of these tags. Can be repeated. Requires a module",
  },
  "exclude-tag": {
    type: "string",
    valueHint: "tags",
    description: "Count only tools without these tags. Can be repeated. Requires a module",
  },
  ...TARGET_ARGS,
};

/** The `tokens` command. Exits with code 1 if a cost exceeds its limit. */
export const tokensCommand: Command = {
  name: "tokens",
  usage: "tenon tokens",
  description: "Count the tokens that a server's tools and instructions cost the model",
  args: ARGS,
  repeatable: ["header", "scope", "tags", "any-tag", "exclude-tag"],
  takesProgram: true,
  hints: {
    ...TARGET_HINTS,
    scopes: "Did you mean --scope?",
    tag: "Did you mean --tags?",
    exclude: "Did you mean --exclude-tag?",
    limit: "Did you mean --max?",
    budget: "Did you mean --max?",
  },
  examples: [
    "tenon tokens src/server.ts",
    "tenon tokens src/server.ts --max 5000 --max-per-tool 800",
    "tenon tokens src/server.ts --scope notes:read --view flat",
    "tenon tokens https://example.com/mcp --bearer-env TOKEN --json > tokens.json",
    "tenon tokens --baseline tokens.json -- npx some-server",
  ],
  async run(invocation, terminal) {
    const { text, isOn } = invocation;
    const limits = {
      max: parseCount("max", text("max"), 0),
      maxPerTool: parseCount("max-per-tool", text("max-per-tool"), 0),
    };
    const top = parseCount("top", text("top"), 1);
    const key = parseView(invocation);
    const flags = readFlags(invocation);
    const file = text("baseline");
    const baseline = file === undefined ? undefined : await readBaseline(file, terminal.cwd);
    const definitions = await readDefinitions(flags, key, terminal);
    const report = await countTokens(definitions, terminal);
    const comparison = baseline && compareReports(baseline, report);
    const sort = text("sort") === "name" ? "name" : "tokens";
    const options = { sort, top, showActions: isOn("actions") === true, comparison } as const;
    terminal.stdout.write(
      isJsonOutput(invocation)
        ? `${JSON.stringify({ ...report, ...(comparison && { baseline: comparison }) }, null, 2)}\n`
        : describeReport(report, options, terminal),
    );
    const excess = findExcess(report, limits);
    for (const line of excess) terminal.stderr.write(`${line}\n`);
    return excess.length === 0 ? EXIT.ok : EXIT.failure;
  },
};

function countTokens(definitions: Definitions, terminal: Terminal): Promise<TokenReport> {
  return runStep(createLiveSteps(terminal), "Count the tokens", async () =>
    measure(definitions, await loadTokenizer(), terminal.signal),
  );
}

function readFlags(invocation: Invocation): TargetFlags {
  const target = invocation.text("target");
  if (target !== undefined && invocation.text("server") !== undefined)
    throw usageError("The server is specified twice. Use either the argument or --server.");
  const { flags } = readTargetWords(invocation, target === undefined ? [] : [target]);
  return { ...flags, server: flags.server ?? target };
}

function parseView({ text, all }: Invocation): ViewKey {
  const lists = (flag: string) =>
    all(flag)
      .flatMap((value) => value.split(/[\s,]+/))
      .filter((word) => word !== "");
  const filter = { tags: lists("tags"), anyTag: lists("any-tag"), exclude: lists("exclude-tag") };
  const hasFilter = Object.values(filter).some((tags) => tags.length > 0);
  const scopes = lists("scope");
  return {
    form: text("view") === "flat" ? "flat" : "listed",
    ...(scopes.length === 0 ? {} : { scopes: [...new Set(scopes)].toSorted() }),
    ...(hasFilter ? { filter } : {}),
  };
}
