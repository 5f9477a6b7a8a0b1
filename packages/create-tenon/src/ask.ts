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
  type ProjectRequest,
  type Transport,
} from "./choices.js";

/** Streams for the prompts. Aborting the signal cancels the current prompt. */
export interface PromptStreams {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
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
  const transport = preferences.transport ?? (await askTransport(streams, defaults.transport));
  const auth = preferences.auth ?? (transport === "stdio" ? "none" : await askAuth(streams, defaults.auth));
  const packageManager =
    preferences.packageManager ?? (await askPackageManager(streams, defaults.packageManager));
  const install =
    preferences.install ?? (await askYesOrNo(streams, `Install packages with ${packageManager}?`));
  const git = preferences.git ?? (await askYesOrNo(streams, "Create a Git repository?"));
  return { name, transport, auth, packageManager, install, git };
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

function askTransport(streams: PromptStreams, initialValue: Transport): Promise<Transport> {
  return answerTo(
    select<Transport>({
      ...streams,
      message: "How do clients connect to the server?",
      initialValue,
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
