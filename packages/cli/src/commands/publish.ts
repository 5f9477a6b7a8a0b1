/**
 * @fileoverview The `tenon publish` command: creates `server.json` for the registry of servers, and rejects what the
 * registry rejects. It does not send anything.
 * @module cli/commands/publish
 */
import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { EXIT, type Terminal } from "@tenon/internal/command-line/command";
import { optionalArgument, repeated, toggle, toggleOff, value } from "@tenon/internal/command-line/flags";
import { oneLine } from "@tenon/internal/text";
import {
  defineCommand,
  isJsonOutput,
  MODULE_DESCRIPTION,
  outputArgs,
  printJson,
  timeoutArgs,
} from "../define-command.js";
import { createDraft, type PublishDraft } from "../publish/draft.js";
import { addMcpName } from "../publish/check-package-json.js";
import { createLiveSteps } from "../steps.js";

/** The `publish` command. Writes `server.json` and `mcpName`, and lists the commands that publish the server. */
export const publishCommand = defineCommand({
  name: "publish",
  description: "Create server.json for the MCP registry, and check everything that the registry checks",
  args: {
    file: optionalArgument(`${MODULE_DESCRIPTION}. Adds its title and its configuration`),
    "dry-run": toggle("Check and print server.json, and do not change any file"),
    name: value(
      "name",
      "Name in the registry, such as io.github.user/server (default: mcpName in package.json)",
    ),
    npm: toggleOff("List the npm package", "Leave out the npm package"),
    mcpb: value("url", "Download address of the .mcpb file of a release"),
    "mcpb-file": value("path", "The .mcpb file, for its hash (default: the file of tenon bundle in dist)"),
    remote: repeated("url", "URL of the server on the web"),
    out: value("path", "File to write (default: server.json beside package.json)"),
    ...timeoutArgs(),
    ...outputArgs("Print the result and all problems as JSON"),
  },
  hints: {
    dry: "Did you mean --dry-run?",
    output: "Use --out for the file.",
    token: "Log in with mcp-publisher login.",
  },
  examples: [
    "tenon publish src/server.ts --dry-run",
    "tenon publish src/server.ts --mcpb https://github.com/user/weather-mcp/releases/download/v1.0.0/weather.mcpb",
    "tenon publish --no-npm --remote https://mcp.example.com/mcp",
  ],
  async run(flags, terminal) {
    const isJson = isJsonOutput(flags);
    const steps = createLiveSteps(terminal, { isQuiet: isJson });
    const draft = await createDraft(flags, steps, terminal);
    if (draft.problems.length > 0) return reportProblems(draft, isJson, terminal);
    if (!flags.dryRun) await writeFiles(draft);
    reportResult(draft, { isJson, isDryRun: flags.dryRun }, terminal);
    return EXIT.ok;
  },
});

function reportProblems({ problems, server }: PublishDraft, isJson: boolean, terminal: Terminal): number {
  const { stderr } = terminal;
  if (isJson) printJson({ ok: false, problems, server }, terminal);
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  stderr.write(`The registry would reject this server (${count}). Nothing was written.\n`);
  for (const problem of problems) stderr.write(`- ${oneLine(problem, 1_000)}\n`);
  return EXIT.failure;
}

async function writeFiles({ project, server, path, addedName }: PublishDraft): Promise<void> {
  await writeFile(path, `${JSON.stringify(server, null, 2)}\n`);
  if (addedName === undefined) return;
  const text = addMcpName(project.text, project.members, addedName);
  await writeFile(join(project.folder, "package.json"), text);
}

interface ReportOptions {
  readonly isJson: boolean;
  readonly isDryRun: boolean;
}

function reportResult(draft: PublishDraft, { isJson, isDryRun }: ReportOptions, terminal: Terminal): void {
  const { cwd, stderr } = terminal;
  const { server, path, addedName, nextSteps, project } = draft;
  const files = isDryRun
    ? []
    : [relative(cwd, path) || path, ...(addedName === undefined ? [] : [project.file])];
  if (isJson) printJson({ ok: true, server, files, nextSteps }, terminal);
  else if (isDryRun) printJson(server, terminal);
  for (const file of files) stderr.write(`Wrote ${file}.\n`);
  if (isDryRun) {
    stderr.write("No problems found. Nothing was written.\n");
    return;
  }
  stderr.write("To publish the server, run these steps. A published version cannot be changed.\n");
  for (const [index, step] of nextSteps.entries()) stderr.write(`  ${index + 1}. ${step}\n`);
}
