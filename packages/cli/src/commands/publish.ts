/**
 * @fileoverview The `tenon publish` command: creates `server.json` for the registry of servers, and rejects what the
 * registry rejects. It does not send anything.
 * @module cli/commands/publish
 */
import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { ArgsDef } from "citty";
import { type Command, EXIT, type Terminal } from "@tenon/internal/command-line/command";
import { oneLine } from "@tenon/internal/text";
import { isJsonOutput, MODULE_DESCRIPTION, outputArgs } from "../client/target.js";
import { createDraft, type PublishDraft } from "../publish/draft.js";
import { addMcpName } from "../publish/mcp-name.js";
import { createLiveSteps } from "../steps.js";

const ARGS: ArgsDef = {
  file: {
    type: "positional",
    required: false,
    description: `${MODULE_DESCRIPTION}. Adds its title and its configuration`,
  },
  "dry-run": { type: "boolean", description: "Check and print server.json, and do not change any file" },
  name: {
    type: "string",
    valueHint: "name",
    description: "Name in the registry, such as io.github.user/server (default: mcpName in package.json)",
  },
  npm: {
    type: "boolean",
    default: true,
    description: "List the npm package",
    negativeDescription: "Leave out the npm package",
  },
  mcpb: { type: "string", valueHint: "url", description: "Download address of the .mcpb file of a release" },
  "mcpb-file": {
    type: "string",
    valueHint: "path",
    description: "The .mcpb file, for its hash (default: the file of tenon bundle in dist)",
  },
  remote: { type: "string", valueHint: "url", description: "URL of the server on the web. Can be repeated" },
  out: {
    type: "string",
    valueHint: "path",
    description: "File to write (default: server.json beside package.json)",
  },
  timeout: { type: "string", valueHint: "seconds", description: "Time limit for one request (default: 60)" },
  ...outputArgs("Print the result and all problems as JSON"),
};

/** The `publish` command. Writes `server.json` and `mcpName`, and lists the commands that publish the server. */
export const publishCommand: Command = {
  name: "publish",
  usage: "tenon publish",
  description: "Create server.json for the MCP registry, and check everything that the registry checks",
  args: ARGS,
  repeatable: ["remote"],
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
  async run(invocation, terminal) {
    const { text, all, isOn } = invocation;
    const flags = {
      file: text("file"),
      isDryRun: isOn("dry-run") === true,
      name: text("name"),
      isOnNpm: isOn("npm") !== false,
      mcpb: text("mcpb"),
      mcpbFile: text("mcpb-file"),
      remotes: all("remote"),
      out: text("out"),
      timeout: text("timeout"),
    };
    const isJson = isJsonOutput(invocation);
    const draft = await createDraft(flags, createLiveSteps(terminal, { isQuiet: isJson }), terminal);
    if (draft.problems.length > 0) return reportProblems(draft, isJson, terminal);
    if (!flags.isDryRun) await writeFiles(draft);
    reportResult(draft, { isJson, isDryRun: flags.isDryRun }, terminal);
    return EXIT.ok;
  },
};

function reportProblems(
  { problems, server }: PublishDraft,
  isJson: boolean,
  { stdout, stderr }: Terminal,
): number {
  if (isJson) stdout.write(`${JSON.stringify({ ok: false, problems, server }, null, 2)}\n`);
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

function reportResult(
  draft: PublishDraft,
  { isJson, isDryRun }: ReportOptions,
  { cwd, stdout, stderr }: Terminal,
): void {
  const { server, path, addedName, nextSteps, project } = draft;
  const files = isDryRun
    ? []
    : [relative(cwd, path) || path, ...(addedName === undefined ? [] : [project.file])];
  if (isJson) stdout.write(`${JSON.stringify({ ok: true, server, files, nextSteps }, null, 2)}\n`);
  else if (isDryRun) stdout.write(`${JSON.stringify(server, null, 2)}\n`);
  for (const file of files) stderr.write(`Wrote ${file}.\n`);
  if (isDryRun) {
    stderr.write("No problems found. Nothing was written.\n");
    return;
  }
  stderr.write("To publish the server, run these steps. A published version cannot be changed.\n");
  for (const [index, step] of nextSteps.entries()) stderr.write(`  ${index + 1}. ${step}\n`);
}
