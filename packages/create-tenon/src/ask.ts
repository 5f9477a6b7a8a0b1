/**
 * @fileoverview Asks the user for the options that no flag sets. If the user cancels, nothing is created.
 * @module create-tenon/ask
 */
import type { Readable, Writable } from "node:stream";
import { confirm, isCancel, select, text } from "@clack/prompts";
import { interrupted } from "@tenon/internal/command-line/command";
import {
  applyDefaults,
  type AuthMode,
  type Choices,
  describeNameProblem,
  PACKAGE_MANAGERS,
  type PackageManager,
  type Preferences,
  type ProjectRequest,
  type Settings,
  toDefaultSettings,
  type Transport,
} from "./choices.js";
import { DEFAULT_TEMPLATE, TEMPLATE_NAMES, TEMPLATE_SUMMARIES, type TemplateName } from "./templates.js";

/** Streams for the prompts. Aborting the signal cancels the current prompt. */
export interface PromptStreams {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/** Asks for a built-in template. @throws {CliError} if the user cancels */
export async function askTemplate(streams: PromptStreams): Promise<TemplateName> {
  return answerTo(
    select<TemplateName>({
      ...streams,
      message: "Which template do you want to use?",
      initialValue: DEFAULT_TEMPLATE,
      // Hints are shown only for the selected option, so the labels contain the descriptions.
      options: TEMPLATE_NAMES.map((value) => ({ value, label: `${value}: ${TEMPLATE_SUMMARIES[value]}` })),
    }),
  );
}

/** Asks for the project folder. @throws {CliError} if the user cancels */
export async function askFolder(streams: PromptStreams): Promise<string> {
  return answerTo(
    text({
      ...streams,
      message: "Where should the project be created?",
      placeholder: "my-mcp-server",
      defaultValue: "my-mcp-server",
    }),
  );
}

/** Asks for every option that no flag sets, one at a time. @throws {CliError} if the user cancels */
export async function askChoices(streams: PromptStreams, request: ProjectRequest): Promise<Choices> {
  const { preferences } = request;
  const defaults = applyDefaults(request);
  const name = preferences.name ?? (await askName(streams, defaults.name));
  const settings = request.hasSettings ? await askSettings(streams, preferences) : undefined;
  const packageManager =
    preferences.packageManager ?? (await askPackageManager(streams, defaults.packageManager));
  const install =
    preferences.install ?? (await askYesOrNo(streams, `Install packages with ${packageManager}?`));
  const git = preferences.git ?? (await askYesOrNo(streams, "Create a Git repository?"));
  return { name, settings, packageManager, install, git };
}

async function askSettings(streams: PromptStreams, preferences: Preferences): Promise<Settings> {
  const defaults = toDefaultSettings(preferences);
  // Only HTTP has authorization, so a flag for it also answers this question.
  const transport =
    defaults.transport === "http" ? "http" : (preferences.transport ?? (await askTransport(streams)));
  const auth = preferences.auth ?? (transport === "stdio" ? "none" : await askAuth(streams, defaults.auth));
  return { transport, auth };
}

function askName(streams: PromptStreams, defaultName: string): Promise<string> {
  return answerTo(
    text({
      ...streams,
      message: "What is the package name?",
      placeholder: defaultName,
      defaultValue: defaultName,
      validate: (value) => (value === undefined || value === "" ? undefined : describeNameProblem(value)),
    }),
  );
}

function askTransport(streams: PromptStreams): Promise<Transport> {
  return answerTo(
    select<Transport>({
      ...streams,
      message: "How do clients connect to the server?",
      initialValue: "stdio",
      options: [
        { value: "stdio", label: "stdio", hint: "the client starts the server on the same machine" },
        { value: "http", label: "HTTP", hint: "the server runs on its own and serves multiple clients" },
      ],
    }),
  );
}

function askAuth(streams: PromptStreams, initialValue: AuthMode): Promise<AuthMode> {
  return answerTo(
    select<AuthMode>({
      ...streams,
      message: "Who can call the server?",
      initialValue,
      options: [
        { value: "none", label: "Anyone on this machine" },
        { value: "jwt", label: "Clients with a token that you sign", hint: "generates a secret" },
        { value: "oauth", label: "Users who sign in with an authorization server", hint: "OAuth" },
      ],
    }),
  );
}

function askPackageManager(streams: PromptStreams, initialValue: PackageManager): Promise<PackageManager> {
  return answerTo(
    select<PackageManager>({
      ...streams,
      message: "Which package manager do you use?",
      initialValue,
      options: PACKAGE_MANAGERS.map((value) => ({ value, label: value })),
    }),
  );
}

function askYesOrNo(streams: PromptStreams, message: string): Promise<boolean> {
  return answerTo(confirm({ ...streams, message }));
}

/** Waits for the answer to a prompt. @throws {CliError} if the user cancels */
async function answerTo<T>(question: Promise<T>): Promise<Exclude<T, symbol>> {
  const answer = await question;
  if (isCancel(answer)) throw interrupted();
  return answer as Exclude<T, symbol>; // Safe: `isCancel` excludes the only symbol
}
