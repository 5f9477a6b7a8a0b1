/**
 * @fileoverview `npm create tenon`: creates a project from the template, by questions or by flags.
 * @module create-tenon/create-command
 */
import { stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { intro, outro, spinner } from "@clack/prompts";
import type { ArgsDef } from "citty";
import {
  type Command,
  EXIT,
  interrupted,
  type Invocation,
  type Terminal,
  usageError,
} from "@tenon/internal/command-line/command";
import { packageFacts } from "@tenon/internal/command-line/package-facts";
import { askChoices, askFolder } from "./ask.js";
import {
  AUTH_MODES,
  assertPreferences,
  type Choices,
  PACKAGE_MANAGERS,
  settle,
  TRANSPORTS,
  type Preferences,
} from "./choices.js";
import { type ProgramEnd, runProgram } from "./run-program.js";
import { checkFolder, writeProject } from "./write-project.js";

/** Name of the package and of its program. */
export const PROGRAM = "create-tenon";

const ARGS: ArgsDef = {
  folder: {
    type: "positional",
    required: false,
    description: "The folder to create; it may exist if it is empty",
  },
  name: { type: "string", description: "The package's name; by default the folder's" },
  transport: {
    type: "enum",
    options: [...TRANSPORTS],
    description: "How clients reach it; by default stdio",
  },
  auth: { type: "enum", options: [...AUTH_MODES], description: "Who may call it over HTTP; by default none" },
  "package-manager": {
    type: "enum",
    options: [...PACKAGE_MANAGERS],
    description: "By default the one that started this program, or npm",
  },
  install: {
    type: "boolean",
    negativeDescription: "Do not install packages",
    description: "Install packages (default)",
  },
  git: {
    type: "boolean",
    negativeDescription: "Start no Git repository",
    description: "Start a Git repository (default)",
  },
  yes: { type: "boolean", alias: "y", description: "Ask nothing: take the defaults" },
  template: {
    type: "string",
    valueHint: "folder",
    description: "A template of your own instead of the built-in one",
  },
  tenon: {
    type: "string",
    valueHint: "version",
    description: "The version of Tenon's packages to depend on; by default this one",
  },
};

/** The command. */
export const createCommand: Command = {
  name: PROGRAM,
  usage: "npm create tenon",
  description: "Create a project for an MCP server",
  args: ARGS,
  examples: [
    "npm create tenon@latest my-server",
    "npm create tenon@latest my-server -- --transport http --auth jwt --yes",
  ],
  async run({ text, isOn }, terminal) {
    const preferences = toPreferences(text, isOn);
    const given = text("folder");
    const template = text("template");
    assertPreferences(preferences);
    const asks = terminal.isInteractive && isOn("yes") !== true;
    const prompts = { input: terminal.stdin, output: terminal.stdout, signal: terminal.signal };
    if (asks) intro("A new MCP server", prompts);
    if (given === undefined && !asks) throw usageError("npm create tenon needs <folder>");
    const folder = resolve(terminal.cwd, checkPath(given ?? (await askFolder(prompts))));
    // Before any question: who cannot have the folder need not answer them.
    await checkFolder(folder);
    const choices = asks
      ? await askChoices(prompts, preferences, folder, terminal.env)
      : settle(preferences, folder, terminal.env);
    const facts = packageFacts(PROGRAM, import.meta.url);
    const count = await writeProject({
      template:
        template === undefined ? join(facts.root, "templates", "server") : resolve(terminal.cwd, template),
      folder,
      choices,
      tenon: text("tenon") ?? `^${facts.version}`,
      signal: terminal.signal,
    });
    terminal.stderr.write(`Created ${choices.name}: ${count} files in ${folder}\n`);
    const isReady = await prepare(folder, choices, terminal, asks);
    const steps = nextSteps(folder, choices, isReady, terminal.cwd);
    if (asks) outro("Done", prompts);
    terminal.stdout.write(steps);
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

function checkPath(path: string): string {
  if (path === "" || /\p{Cc}/u.test(path))
    throw usageError("The folder's name has characters that no folder has");
  return path;
}

/** Git and packages; whether all of it succeeded. The project itself is whole by now, and stays. */
async function prepare(
  folder: string,
  choices: Choices,
  terminal: Terminal,
  showsSpinner: boolean,
): Promise<boolean> {
  const { env, signal, stdout, stderr } = terminal;
  const step = async (what: string, words: readonly string[]): Promise<boolean> => {
    const show = showsSpinner ? spinner({ output: stdout, signal }) : undefined;
    if (show === undefined) stderr.write(`${what}...\n`);
    else show.start(what);
    const end = await runProgram(words, folder, { env, signal });
    if (signal.aborted) throw interrupted();
    if (end.ok) show?.stop(what);
    else show?.error(what);
    if (!end.ok) stderr.write(`${describeFailure(words, end)}\n`);
    return end.ok;
  };
  if (choices.git && !(await isInRepository(dirname(folder)))) {
    // A project without a repository is a project still.
    await step("Starting a Git repository", ["git", "init", "--quiet", "--initial-branch=main"]);
  }
  if (!choices.install) return true;
  return step(`Installing packages with ${choices.packageManager}`, [choices.packageManager, "install"]);
}

function describeFailure(words: readonly string[], { said }: ProgramEnd): string {
  return `${words.slice(0, 2).join(" ")} failed${said === "" ? "" : `:\n${said}`}`;
}

async function isInRepository(folder: string): Promise<boolean> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await stat(join(at, ".git")).catch(() => undefined);
    if (found !== undefined) return true;
    if (dirname(at) === at) return false;
  }
}

function nextSteps(folder: string, choices: Choices, isReady: boolean, cwd: string): string {
  const { packageManager, install, auth } = choices;
  const path = relative(cwd, folder);
  const steps = [
    ...(path === "" ? [] : [`cd ${/^[\w./@~-]+$/.test(path) ? path : JSON.stringify(path)}`]),
    ...(install && isReady ? [] : [`${packageManager} install`]),
    ...(auth === "oauth" ? ["# set OAUTH_ISSUER_URL and OAUTH_AUDIENCE in .env"] : []),
    `${packageManager} run build`,
    `${packageManager} run start`,
  ];
  return `Next:\n${steps.map((step) => `  ${step}\n`).join("")}`;
}
