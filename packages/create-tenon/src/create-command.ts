/**
 * @fileoverview The `npm create tenon` command: creates a project from the template, interactively or with flags.
 * @module create-tenon/create-command
 */
import { join, relative, resolve } from "node:path";
import { intro, outro } from "@clack/prompts";
import type { ArgsDef } from "citty";
import { type Command, EXIT, type Invocation, usageError } from "@tenon/internal/command-line/command";
import { packageFacts } from "@tenon/internal/command-line/package-facts";
import { askChoices, askFolder, type PromptStreams } from "./ask.js";
import {
  applyDefaults,
  assertPreferences,
  AUTH_MODES,
  type Choices,
  PACKAGE_MANAGERS,
  type Preferences,
  TRANSPORTS,
} from "./choices.js";
import { prepareProject } from "./prepare-project.js";
import { assertFolderIsFree, writeProject } from "./write-project.js";

/** Name of the package and its program. */
export const PROGRAM = "create-tenon";

const ARGS: ArgsDef = {
  folder: {
    type: "positional",
    required: false,
    description: "Folder to create. If it exists, it must be empty",
  },
  name: { type: "string", description: "Package name (default: the folder's name)" },
  transport: {
    type: "enum",
    options: [...TRANSPORTS],
    description: "Transport (default: stdio, or http with --auth)",
  },
  auth: {
    type: "enum",
    options: [...AUTH_MODES],
    description: "Authorization for HTTP clients (default: none)",
  },
  "package-manager": {
    type: "enum",
    options: [...PACKAGE_MANAGERS],
    description: "Package manager to use (default: the one that ran this command)",
  },
  install: {
    type: "boolean",
    negativeDescription: "Do not install packages",
    description: "Install packages (default)",
  },
  git: {
    type: "boolean",
    negativeDescription: "Do not create a Git repository",
    description: "Create a Git repository (default)",
  },
  yes: { type: "boolean", alias: "y", description: "Use the defaults without asking" },
  template: {
    type: "string",
    valueHint: "folder",
    description: "Folder with your own template (default: the built-in one)",
  },
  tenon: {
    type: "string",
    valueHint: "version",
    description: "Version of tenon and every @tenon package (default: create-tenon's own version)",
  },
};

/** The program's only command. Exits with code 1 if installing packages fails. */
export const createCommand: Command = {
  name: PROGRAM,
  usage: "npm create tenon",
  description: "Create an MCP server project",
  args: ARGS,
  examples: [
    "npm create tenon@latest my-server",
    "npm create tenon@latest my-server -- --transport http --auth jwt --yes",
  ],
  async run({ text, isOn }, terminal) {
    const preferences = toPreferences(text, isOn);
    assertPreferences(preferences);
    const asks = terminal.isInteractive && isOn("yes") !== true;
    const streams = { input: terminal.stdin, output: terminal.stdout, signal: terminal.signal };
    if (asks) intro("Create an MCP server", streams);
    const folder = resolve(terminal.cwd, await chooseFolder(text("folder"), asks ? streams : undefined));
    // Checked before the other prompts, so that the user does not answer them for nothing.
    await assertFolderIsFree(folder);
    const request = { preferences, folder, env: terminal.env };
    const choices = asks ? await askChoices(streams, request) : applyDefaults(request);
    const { root, version } = packageFacts(PROGRAM, import.meta.url);
    const template = text("template");
    const count = await writeProject({
      template: template === undefined ? join(root, "templates", "server") : resolve(terminal.cwd, template),
      folder,
      choices,
      tenon: text("tenon") ?? `^${version}`,
      signal: terminal.signal,
    });
    terminal.stderr.write(`Created ${choices.name}: ${count} files in ${folder}\n`);
    const isReady = await prepareProject({ folder, choices }, terminal, { showsSpinner: asks });
    if (asks) outro("Done", streams);
    terminal.stdout.write(describeNextSteps({ folder, choices, isReady, cwd: terminal.cwd }));
    return isReady ? EXIT.ok : EXIT.failure;
  },
};

function toPreferences(text: Invocation["text"], isOn: Invocation["isOn"]): Preferences {
  const name = text("name");
  const transport = oneOf(TRANSPORTS, text("transport"));
  const auth = oneOf(AUTH_MODES, text("auth"));
  const packageManager = oneOf(PACKAGE_MANAGERS, text("package-manager"));
  const [install, git] = [isOn("install"), isOn("git")];
  return {
    ...(name === undefined ? {} : { name }),
    ...(transport === undefined ? {} : { transport }),
    ...(auth === undefined ? {} : { auth }),
    ...(packageManager === undefined ? {} : { packageManager }),
    ...(install === undefined ? {} : { install }),
    ...(git === undefined ? {} : { git }),
  };
}

function oneOf<T extends string>(options: readonly T[], word: string | undefined): T | undefined {
  return options.find((option) => option === word);
}

/** Returns the given folder, or asks for one. @throws {CliError} if the folder is missing or its name is invalid */
async function chooseFolder(given: string | undefined, streams: PromptStreams | undefined): Promise<string> {
  const folder = given ?? (streams === undefined ? undefined : await askFolder(streams));
  if (folder === undefined) {
    throw usageError("No folder specified. Pass the folder to create: npm create tenon@latest my-server");
  }
  if (folder === "" || /\p{Cc}/u.test(folder)) {
    throw usageError(
      "The folder name must not be empty or contain control characters. Choose a different name.",
    );
  }
  return folder;
}

interface CreatedProject {
  readonly folder: string;
  readonly choices: Choices;
  /** True if every step after writing the files succeeded. */
  readonly isReady: boolean;
  readonly cwd: string;
}

function describeNextSteps({ folder, choices, isReady, cwd }: CreatedProject): string {
  const { packageManager, install, auth } = choices;
  const path = relative(cwd, folder);
  const steps = [
    ...(path === "" ? [] : [`cd ${/^[\w./@~-]+$/.test(path) ? path : JSON.stringify(path)}`]),
    ...(install && isReady ? [] : [`${packageManager} install`]),
    ...(auth === "oauth" ? ["# set OAUTH_ISSUER_URL and OAUTH_AUDIENCE in .env"] : []),
    `${packageManager} run build`,
    `${packageManager} run start`,
  ];
  return `Next steps:\n${steps.map((step) => `  ${step}\n`).join("")}`;
}
