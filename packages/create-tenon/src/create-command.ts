/**
 * @fileoverview The `npm create tenon` command: creates a project from a template, interactively or with flags.
 * @module create-tenon/create-command
 */
import { relative, resolve } from "node:path";
import { intro, outro } from "@clack/prompts";
import { type Command, EXIT, usageError } from "@tenon/internal/command-line/command";
import { choice, optionalArgument, toggle, toggleAuto, value } from "@tenon/internal/command-line/flags";
import { packageFacts } from "@tenon/internal/command-line/package-facts";
import { askChoices, askFolder, askTemplate, type PromptStreams } from "./ask.js";
import {
  applyDefaults,
  assertPreferences,
  assertSettingsApply,
  AUTH_MODES,
  type Choices,
  PACKAGE_MANAGERS,
  type Preferences,
  settingFlagOf,
  TRANSPORTS,
} from "./choices.js";
import { prepareProject } from "./prepare-project.js";
import {
  DEFAULT_TEMPLATE,
  findTemplate,
  type Template,
  TEMPLATE_NAMES,
  type TemplateFolders,
} from "./templates.js";
import { assertFolderIsFree, writeProject } from "./write-project.js";

/** Name of the package and its program. */
export const PROGRAM = "create-tenon";

const ARGS = {
  folder: optionalArgument("Folder to create. If it exists, it must be empty"),
  template: value(
    [...TEMPLATE_NAMES, "folder"].join("|"),
    `Template, or a folder with your own (default: ${DEFAULT_TEMPLATE})`,
  ),
  name: value("name", "Package name (default: the folder's name)"),
  transport: choice(TRANSPORTS, "Transport, for --template app (default: stdio, or http with --auth)"),
  auth: choice(AUTH_MODES, "Authorization for HTTP clients, for --template app (default: none)"),
  "package-manager": choice(
    PACKAGE_MANAGERS,
    "Package manager to use (default: the one that ran this command)",
  ),
  install: toggleAuto("Install packages (default)", "Do not install packages"),
  git: toggleAuto("Create a Git repository (default)", "Do not create a Git repository"),
  yes: toggle("Use the defaults without asking", { alias: "y" }),
  tenon: value("version", "Version of tenon and every @tenon package (default: create-tenon's own version)"),
};

/** The program's only command. Exits with code 1 if installing packages fails. */
export const createCommand: Command<typeof ARGS> = {
  name: PROGRAM,
  usage: "npm create tenon",
  description: "Create a project: an MCP server or an agent",
  args: ARGS,
  examples: [
    "npm create tenon@latest my-server",
    "npm create tenon@latest my-server -- --template grouped",
    "npm create tenon@latest my-agent -- --template agent",
    "npm create tenon@latest my-server -- --template app --transport http --auth jwt --yes",
  ],
  async run(flags, terminal) {
    assertPreferences(flags);
    const asks = terminal.isInteractive && !flags.yes;
    const streams = { input: terminal.stdin, output: terminal.stdout, signal: terminal.signal };
    const { root, version } = packageFacts(PROGRAM, import.meta.url);
    const folders = { root, cwd: terminal.cwd };
    // Arguments are checked before the first prompt, so that the user does not answer prompts for nothing.
    const chosen = await findChosenTemplate({ word: flags.template, asks, preferences: flags }, folders);
    const given = flags.folder;
    if (given !== undefined) await toFreeFolder(given, terminal.cwd);
    if (asks) intro("Create a project", streams);
    const template = chosen ?? (await findTemplate(await askTemplate(streams), folders));
    const folder = await toFreeFolder(
      given ?? (await chooseFolder(asks ? streams : undefined)),
      terminal.cwd,
    );
    const request = { preferences: flags, folder, hasSettings: template.hasSettings, env: terminal.env };
    const choices = asks ? await askChoices(streams, request) : applyDefaults(request);
    const count = await writeProject({
      template: template.folder,
      folder,
      choices,
      tenon: flags.tenon ?? `^${version}`,
      signal: terminal.signal,
    });
    terminal.stderr.write(`Created ${choices.name}: ${count} files in ${folder}\n`);
    const isReady = await prepareProject({ folder, choices }, terminal, { showsSpinner: asks });
    if (asks) outro("Done", streams);
    const { scripts } = template;
    terminal.stdout.write(describeNextSteps({ folder, choices, scripts, isReady, cwd: terminal.cwd }));
    return isReady ? EXIT.ok : EXIT.failure;
  },
};

interface TemplateRequest {
  /** Value of `--template`. */
  readonly word: string | undefined;
  /** True if the user can be asked for the template. */
  readonly asks: boolean;
  readonly preferences: Preferences;
}

/** Finds the template without a prompt. Returns `undefined` if the user must be asked. @throws {CliError} */
async function findChosenTemplate(
  { word, asks, preferences }: TemplateRequest,
  folders: TemplateFolders,
): Promise<Template | undefined> {
  // With a flag for a setting, the default template is checked instead, and the error says which one to select.
  if (word === undefined && asks && settingFlagOf(preferences) === undefined) return undefined;
  const template = await findTemplate(word ?? DEFAULT_TEMPLATE, folders);
  assertSettingsApply(preferences, template);
  return template;
}

/** Asks for the folder. @throws {CliError} if the user cannot be asked */
async function chooseFolder(streams: PromptStreams | undefined): Promise<string> {
  if (streams !== undefined) return askFolder(streams);
  throw usageError("No folder specified. Pass the folder to create: npm create tenon@latest my-server");
}

/** Returns the absolute path of a folder. @throws {CliError} if its name is invalid or it is not empty */
async function toFreeFolder(name: string, cwd: string): Promise<string> {
  if (name === "" || /\p{Cc}/u.test(name)) {
    throw usageError(
      "The folder name must not be empty or contain control characters. Choose a different name.",
    );
  }
  const folder = resolve(cwd, name);
  await assertFolderIsFree(folder);
  return folder;
}

interface CreatedProject {
  readonly folder: string;
  readonly choices: Choices;
  /** Scripts to run next. */
  readonly scripts: readonly string[];
  /** True if every step after writing the files succeeded. */
  readonly isReady: boolean;
  readonly cwd: string;
}

function describeNextSteps({ folder, choices, scripts, isReady, cwd }: CreatedProject): string {
  const { packageManager, install, settings } = choices;
  const path = relative(cwd, folder);
  const steps = [
    ...(path === "" ? [] : [`cd ${/^[\w./@~-]+$/.test(path) ? path : JSON.stringify(path)}`]),
    ...(install && isReady ? [] : [`${packageManager} install`]),
    ...(settings?.auth === "oauth" ? ["# set OAUTH_ISSUER_URL and OAUTH_AUDIENCE in .env"] : []),
    ...scripts.map((script) => `${packageManager} run ${script}`),
  ];
  return `Next steps:\n${steps.map((step) => `  ${step}\n`).join("")}`;
}
