/**
 * @fileoverview Creates `server.json` in memory and collects all problems, before any file is written.
 * @module cli/publish/draft
 */
import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { cliError, type Terminal } from "@tenon/internal/command-line/command";
import { oneLine } from "@tenon/internal/text";
import { readModuleOffer } from "../bundle/check-bundle.js";
import { checkConfig } from "../bundle/project/declared-config.js";
import { readModule } from "../bundle/project/module-target.js";
import { findModule } from "../load/split-target.js";
import { readText } from "../bundle/project/package-fields.js";
import { type ProjectPackage, readProjectPackage, unscopedName } from "../bundle/project/project-package.js";
import { runStep, type Steps } from "../steps.js";
import { checkMcpName, checkPackageJson } from "./check-package-json.js";
import { checkServerJson } from "./check-server-json.js";
import { createServerJson, deriveServerName, type DescribedServer, listNextSteps } from "./server-json.js";
import { type ArchiveReading, readArchive } from "./read-archive.js";

/** Values of the flags of `tenon publish`. */
export interface PublishFlags {
  readonly file: string | undefined;
  readonly dryRun: boolean;
  readonly name: string | undefined;
  readonly npm: boolean;
  readonly mcpb: string | undefined;
  readonly mcpbFile: string | undefined;
  readonly remote: readonly string[];
  readonly out: string | undefined;
  readonly timeout: number;
}

/** Result of a run, before files are written. */
export interface PublishDraft {
  readonly project: ProjectPackage;
  readonly server: JsonObject;
  /** Absolute path of `server.json`. */
  readonly path: string;
  readonly problems: readonly string[];
  /** Name to add to `package.json`, if it is missing there. */
  readonly addedName: string | undefined;
  readonly nextSteps: readonly string[];
}

/** Creates the draft. @throws {CliError} if a file cannot be read, or the module cannot be loaded */
export async function createDraft(
  flags: PublishFlags,
  steps: Steps,
  terminal: Terminal,
): Promise<PublishDraft> {
  const { cwd } = terminal;
  const module = flags.file === undefined ? undefined : await findModule(flags.file, cwd);
  const project = await readProjectPackage(module === undefined ? cwd : dirname(module.path), cwd);
  const path = flags.out === undefined ? join(project.folder, "server.json") : resolve(cwd, flags.out);
  const existing = await readExisting(path, cwd);
  const described = await describeServer(flags, steps, terminal);
  const archive = await runStep(steps, "Read the .mcpb file", () => findArchive(flags, project, cwd));
  const search = findName(flags, project, existing);
  const { npm: isOnNpm, remote: remotes } = flags;
  const name = search.name ?? "";
  const server = createServerJson({
    project,
    existing,
    name,
    server: described.server,
    isOnNpm,
    archive,
    remotes,
  });
  const { mcpName, name: npmName } = project.members;
  const addsName = isOnNpm && !flags.dryRun && mcpName === undefined;
  const shown = relative(cwd, path) || path;
  return {
    project,
    server,
    path,
    addedName: addsName ? search.name : undefined,
    problems: [
      ...search.problems,
      ...described.problems,
      ...(archive?.problems ?? []),
      ...(isOnNpm ? label(project.file, checkPackageJson(project.members)) : []),
      ...(isOnNpm && !addsName && name !== "" ? label(project.file, checkMcpName(mcpName, name)) : []),
      // A missing name is already reported, with the ways to set it.
      ...label(shown, checkServerJson(server)).filter(
        (line) => name !== "" || !line.startsWith(`${shown}: name `),
      ),
    ],
    nextSteps: listNextSteps({
      name,
      npmName: isOnNpm ? readText(npmName) : undefined,
      archive,
      file: shown,
    }),
  };
}

function label(file: string, problems: readonly string[]): readonly string[] {
  return problems.map((problem) => `${file}: ${problem}`);
}

const MAX_BYTES = 1_048_576;

async function readExisting(path: string, cwd: string): Promise<JsonObject> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return {};
  const members = text.length > MAX_BYTES ? undefined : readJson(text.replace(/^\uFEFF/, ""));
  if (isJsonObject(members)) return members;
  throw cliError(
    `"${relative(cwd, path) || path}" does not contain a valid JSON object. Correct or remove it.`,
  );
}

interface Description {
  readonly server: DescribedServer | undefined;
  readonly problems: readonly string[];
}

async function describeServer(
  { file, timeout }: PublishFlags,
  steps: Steps,
  terminal: Terminal,
): Promise<Description> {
  if (file === undefined) return { server: undefined, problems: [] };
  const module = await findModule(file, terminal.cwd);
  const { info } = await runStep(steps, `Load ${module.file}`, () =>
    readModuleOffer(file, timeout, terminal),
  );
  const outcome = checkConfig((await readModule(module)).config);
  if (outcome.ok && outcome.note !== undefined) terminal.stderr.write(`${outcome.note}\n`);
  const title = readText(info["title"]);
  return {
    server: { title, variables: outcome.ok ? outcome.variables : [] },
    problems: outcome.ok ? [] : outcome.problems.map((problem) => `${module.file}: ${problem}`),
  };
}

interface FoundArchive extends ArchiveReading {
  /** Path relative to the current folder. */
  readonly path: string;
  readonly url: string;
}

async function findArchive(
  { mcpb, mcpbFile }: PublishFlags,
  project: ProjectPackage,
  cwd: string,
): Promise<FoundArchive | undefined> {
  if (mcpb === undefined) return undefined;
  const byDefault = join(project.folder, "dist", `${unscopedName(project) ?? "server"}.mcpb`);
  const path = mcpbFile === undefined ? byDefault : resolve(cwd, mcpbFile);
  const reading = await readArchive(path, { version: project.members["version"], cwd });
  return { ...reading, path: relative(cwd, path) || path, url: mcpb };
}

interface NameSearch {
  readonly name: string | undefined;
  readonly problems: readonly string[];
}

function findName(
  { name: given, npm: isOnNpm }: PublishFlags,
  project: ProjectPackage,
  existing: JsonObject,
): NameSearch {
  const mcpName = readText(project.members["mcpName"]);
  const before = readText(existing["name"]);
  const name = given ?? mcpName ?? before ?? deriveServerName(project);
  if (name === undefined) {
    const problem =
      "The name in the registry is unknown. Pass it with --name, such as --name io.github.user/server.";
    return { name, problems: [problem] };
  }
  // A changed name would publish a second server.
  const isChanged =
    given === undefined && isOnNpm && mcpName !== undefined && before !== undefined && mcpName !== before;
  const problem = `server.json has the name "${oneLine(before ?? "")}", but "mcpName" is "${oneLine(mcpName ?? "")}". Choose one with --name.`;
  return { name, problems: isChanged ? [problem] : [] };
}
