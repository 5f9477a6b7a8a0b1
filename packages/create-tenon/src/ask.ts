/**
 * @fileoverview Asks a person for what is open. Who cancels has created nothing.
 * @module create-tenon/ask
 */
import type { Readable, Writable } from "node:stream";
import { confirm, isCancel, select, text } from "@clack/prompts";
import { interrupted } from "@tenon/internal/command-line/command";
import { type Choices, describeName, PACKAGE_MANAGERS, settle, type Preferences } from "./choices.js";

/** Where questions are asked. */
export interface PromptStreams {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/** Asks which folder to create. */
export async function askFolder(prompts: PromptStreams): Promise<string> {
  return answer(
    text({
      ...prompts,
      message: "Where should the project be?",
      placeholder: "my-mcp-server",
      defaultValue: "my-mcp-server",
    }),
  );
}

/** Asks what the flags left open, one question after the other. */
export async function askChoices(
  prompts: PromptStreams,
  preferences: Preferences,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Choices> {
  const standard = settle(preferences, folder, env);
  const name =
    preferences.name ??
    (await answer(
      text({
        ...prompts,
        message: "What is its name?",
        placeholder: standard.name,
        defaultValue: standard.name,
        validate: (value) => (value === undefined || value === "" ? undefined : describeName(value)),
      }),
    ));
  const transport =
    preferences.transport ??
    (await answer(
      select({
        ...prompts,
        message: "How do clients reach it?",
        initialValue: standard.transport,
        options: [
          { value: "stdio" as const, label: "stdio", hint: "started by the client, on the same machine" },
          { value: "http" as const, label: "HTTP", hint: "runs by itself, for many clients" },
        ],
      }),
    ));
  const auth =
    preferences.auth ??
    (transport === "stdio"
      ? "none"
      : await answer(
          select({
            ...prompts,
            message: "Who may call it?",
            initialValue: standard.auth,
            options: [
              { value: "none" as const, label: "Anybody on this machine" },
              {
                value: "jwt" as const,
                label: "Holders of a token that you sign",
                hint: "a secret is made for you",
              },
              { value: "oauth" as const, label: "Users of an authorization server", hint: "OAuth" },
            ],
          }),
        ));
  const packageManager =
    preferences.packageManager ??
    (await answer(
      select({
        ...prompts,
        message: "Which package manager?",
        initialValue: standard.packageManager,
        options: PACKAGE_MANAGERS.map((value) => ({ value, label: value })),
      }),
    ));
  const install =
    preferences.install ??
    (await answer(confirm({ ...prompts, message: `Install packages with ${packageManager}?` })));
  const git = preferences.git ?? (await answer(confirm({ ...prompts, message: "Start a Git repository?" })));
  return { name, transport, auth, packageManager, install, git };
}

async function answer<T>(question: Promise<T>): Promise<Exclude<T, symbol>> {
  const given = await question;
  if (isCancel(given)) throw interrupted();
  return given as Exclude<T, symbol>; // the one symbol that a question may give is the one that was checked
}
