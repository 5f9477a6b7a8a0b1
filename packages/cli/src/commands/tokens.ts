/**
 * @fileoverview The `tenon tokens` command: counts the tokens that a server's definitions cost the model.
 * @module cli/commands/tokens
 */
import { EXIT, type Invocation, type Terminal, usageError } from "@tenon/internal/command-line/command";
import { choice, repeated, toggle, value } from "@tenon/internal/command-line/flags";
import { integer } from "@tenon/internal/options/option-rows";
import {
  parseTarget,
  readServer,
  TARGET_ARG,
  TARGET_ARGS,
  TARGET_HINTS,
  type TargetFlags,
} from "../client/target.js";
import { defineCommand, printResult } from "../define-command.js";
import { createLiveSteps, runStep } from "../steps.js";
import { compareReports, readBaseline } from "../tokens/baseline.js";
import { describeReport } from "../tokens/describe.js";
import { measure, type TokenReport } from "../tokens/measure.js";
import { loadTokenizer } from "../tokens/tokenizer.js";
import { AS_LISTED, type Definitions, describeView, type ViewKey } from "../tokens/views.js";
import { listFeature } from "../client/list-feature.js";
import { runWithClient, type Session } from "../client/session.js";
import { isTenonServer, readModule } from "../tokens/module-views.js";
import { oneLine } from "@tenon/internal/text";
import { formatNumber } from "../tokens/format.js";

const COUNT = { option: integer({ min: 0, max: 999_999_999 }) };

const ARGS = {
  ...TARGET_ARG,
  max: value("tokens", "Fail if the total is higher: exit with code 1", COUNT),
  "max-per-tool": value("tokens", "Fail if a tool costs more: exit with code 1", COUNT),
  baseline: value("file", "Compare with the result of an earlier run with --json"),
  sort: choice(["tokens", "name"], "Order of the tools in the table (default: tokens)"),
  top: value("number", "Show only this many tools in the table", {
    option: integer({ min: 1, max: 999_999_999 }),
  }),
  actions: toggle("Show what each action of a grouped tool costs as a separate tool"),
  view: choice(
    ["listed", "flat"],
    "Tools to count: as the server lists them, or with one tool per action (default: listed). flat requires a module",
  ),
  scope: repeated(
    "scopes",
    "Count what a caller with these scopes sees, separated by spaces or commas. Requires a module",
  ),
  tags: repeated("tags", "Count only tools with all of these tags, as in server.view(). Requires a module"),
  "any-tag": repeated("tags", "Count only tools with at least one of these tags. Requires a module"),
  "exclude-tag": repeated("tags", "Count only tools without these tags. Requires a module"),
  ...TARGET_ARGS,
};

/** The `tokens` command. Exits with code 1 if a cost exceeds its limit. */
export const tokensCommand = defineCommand({
  name: "tokens",
  description: "Count the tokens that a server's tools and instructions cost the model",
  args: ARGS,
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
  async run(flags, terminal) {
    const { top, actions: showActions, sort = "tokens" } = flags;
    const key = toViewKey(flags);
    const target = readServer(flags);
    const baseline =
      flags.baseline === undefined ? undefined : await readBaseline(flags.baseline, terminal.cwd);
    const report = await countTokens(await readDefinitions(target, key, terminal), terminal);
    const comparison = baseline && compareReports(baseline, report);
    printResult(flags, terminal, {
      json: { ...report, ...(comparison && { baseline: comparison }) },
      text: () => describeReport(report, { sort, top, showActions, comparison }, terminal),
    });
    const excess = findExcess(report, flags);
    for (const line of excess) terminal.stderr.write(`${line}\n`);
    return excess.length === 0 ? EXIT.ok : EXIT.failure;
  },
});

function countTokens(definitions: Definitions, terminal: Terminal): Promise<TokenReport> {
  return runStep(createLiveSteps(terminal), "Count the tokens", async () =>
    measure(definitions, await loadTokenizer(), terminal.signal),
  );
}

function toViewKey(flags: Invocation<typeof ARGS>): ViewKey {
  const split = (values: readonly string[]) =>
    values.flatMap((one) => one.split(/[\s,]+/)).filter((word) => word !== "");
  const filter = { tags: split(flags.tags), anyTag: split(flags.anyTag), exclude: split(flags.excludeTag) };
  const hasFilter = Object.values(filter).some((tags) => tags.length > 0);
  const scopes = split(flags.scope);
  return {
    form: flags.view ?? "listed",
    ...(scopes.length === 0 ? {} : { scopes: [...new Set(scopes)].toSorted() }),
    ...(hasFilter ? { filter } : {}),
  };
}

/**
 * Reads the definitions to count.
 *
 * @throws {CliError} if the server cannot be read, or if it cannot be seen through the selected view
 */
async function readDefinitions(flags: TargetFlags, key: ViewKey, terminal: Terminal): Promise<Definitions> {
  if (parseTarget(flags, terminal.env).kind !== "file") assertListed(key);
  return runWithClient(flags, { terminal }, async (session) => {
    const server = session.loaded?.origin.mcpServer;
    if (isTenonServer(server)) {
      const { revision = "latest" } = flags;
      return readModule(server, { key, revision, context: session.loaded?.context });
    }
    assertListed(key);
    return readLists(session);
  });
}

/** Asserts that the view is the server's own list. @throws {CliError} */
function assertListed(key: ViewKey): void {
  if (describeView(key) === describeView(AS_LISTED)) return;
  throw usageError(
    "--view flat, --scope, --tags, --any-tag, and --exclude-tag require a module that exports a Tenon server. " +
      "For a URL, pass a token that has the scopes: --bearer-env <variable>",
  );
}

async function readLists({ client }: Session): Promise<Definitions> {
  const { serverInfo, revision } = client;
  const { instructions } = client.server;
  const tools = await listFeature(client, "tools");
  return {
    server: { ...serverInfo },
    revision,
    instructions: typeof instructions === "string" ? instructions : undefined,
    prompts: await listFeature(client, "prompts"),
    selected: { key: AS_LISTED, tools },
    views: [],
    omittedViews: 0,
    actions: new Map(),
  };
}

/** Maximum costs in tokens. */
interface TokenLimits {
  readonly max: number | undefined;
  readonly maxPerTool: number | undefined;
}

/** Returns one sentence for each limit that the server exceeds. */
function findExcess({ total, tools }: TokenReport, { max, maxPerTool }: TokenLimits): readonly string[] {
  return [
    ...(max === undefined || total <= max
      ? []
      : [`The total is ${describeExcess(total, max)} than --max ${formatNumber(max)}.`]),
    ...tools.flatMap(({ name, tokens }) =>
      maxPerTool === undefined || tokens <= maxPerTool
        ? []
        : [
            `Tool "${oneLine(name, 80)}" has ${describeExcess(tokens, maxPerTool)} than ` +
              `--max-per-tool ${formatNumber(maxPerTool)}.`,
          ],
    ),
  ];
}

function describeExcess(tokens: number, limit: number): string {
  return `${formatNumber(tokens)} tokens, ${formatNumber(tokens - limit)} more`;
}
