/**
 * @fileoverview Prepares a project after its files are written: creates the Git repository and installs packages.
 * @module create-tenon/prepare-project
 */
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { spinner } from "@clack/prompts";
import { interrupted, type Terminal } from "@tenon/internal/command-line/command";
import type { Choices } from "./choices.js";
import { runProgram } from "./run-program.js";

/** A project whose files have been written. */
export interface WrittenProject {
  readonly folder: string;
  readonly choices: Choices;
}

/**
 * Creates the Git repository and installs the packages, if requested. Resolves to `false` if installing failed. The
 * project is kept in any case. @throws {CliError} if the user stops the program
 */
export async function prepareProject(
  { folder, choices }: WrittenProject,
  terminal: Terminal,
  { showsSpinner }: { readonly showsSpinner: boolean },
): Promise<boolean> {
  const { env, signal, stdout, stderr } = terminal;
  const step = async (title: string, words: readonly string[]): Promise<boolean> => {
    const progress = showsSpinner ? spinner({ output: stdout, signal }) : undefined;
    if (progress === undefined) stderr.write(`${title}...\n`);
    else progress.start(title);
    const { ok, output } = await runProgram(words, folder, { env, signal });
    if (signal.aborted) throw interrupted();
    if (ok) progress?.stop(title);
    else progress?.error(title);
    if (!ok) stderr.write(`${words.slice(0, 2).join(" ")} failed${output === "" ? "." : `:\n${output}`}\n`);
    return ok;
  };
  if (choices.git && !(await isInRepository(dirname(folder)))) {
    // A failure is reported but not fatal, because the project works without a repository.
    await step("Creating a Git repository", ["git", "init", "--quiet", "--initial-branch=main"]);
  }
  if (!choices.install) return true;
  return step(`Installing packages with ${choices.packageManager}`, [choices.packageManager, "install"]);
}

async function isInRepository(folder: string): Promise<boolean> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await stat(join(at, ".git")).catch(() => undefined);
    if (found !== undefined) return true;
    if (dirname(at) === at) return false;
  }
}
