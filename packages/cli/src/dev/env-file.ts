/**
 * @fileoverview Reads environment variables for the server from a file.
 * @module cli/dev/env-file
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { cliError } from "@tenon/internal/command-line/command";
import { oneLine } from "@tenon/internal/text";

/** Environment variables by name. */
export type Env = Readonly<Record<string, string | undefined>>;

/** File with environment variables. */
export interface EnvFile {
  /** Absolute path. */
  readonly path: string;
  /** Reads the variables. Returns none if the file does not exist. */
  read(): Readonly<Record<string, string>>;
  /**
   * Removes the variables of the file from an environment. Some versions of Node.js read `--env-file` from the command
   * line of any program, so the environment of the command has them already.
   */
  removeFrom(env: Env): Env;
}

/** Finds the file. The default, `.env`, does not have to exist. @throws {CliError} if a file that was given is missing */
export function findEnvFile(given: string | undefined, cwd: string): EnvFile {
  const path = resolve(cwd, given ?? ".env");
  const read = () => {
    const text = readText(path);
    // Safe: the values of parsed variables are strings.
    return text === undefined ? {} : (parseEnv(text) as Record<string, string>);
  };
  if (given !== undefined && readText(path) === undefined)
    throw cliError(`Could not read the file "${oneLine(given, 100)}" of --env-file.`);
  const first = given === undefined ? {} : read();
  const removeFrom = (env: Env) =>
    Object.fromEntries(
      Object.entries(env).filter(([name, value]) => value === undefined || first[name] !== value),
    );
  return { path, read, removeFrom };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
