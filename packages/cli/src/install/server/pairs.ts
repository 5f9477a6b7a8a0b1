/**
 * @fileoverview Parses `--env`, `--env-file`, and `--header`. Error messages never contain a value.
 * @module cli/install/server/pairs
 */
import { parseEnv } from "node:util";
import { usageError } from "@tenon/internal/command-line/command";
import { parseHeader } from "../../client/target.js";
import type { Pairs } from "../types.js";

/** Sources of environment variables. */
export interface EnvSources {
  /** Values of `--env`: `NAME=value`, or `NAME` to copy a variable. */
  readonly given: readonly string[];
  /** Text of the file from `--env-file`. */
  readonly file: string | undefined;
  /** Variables that `NAME` copies. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Parses environment variables. Those from `--env` override those from the file. @throws {CliError} */
export function parseEnvPairs({ given, file, env }: EnvSources): Pairs {
  const pairs = new Map<string, string>();
  for (const [name, value = ""] of Object.entries(file === undefined ? {} : parseEnv(file)))
    addVariable(pairs, { flag: "--env-file", name, value });
  const seen = new Set<string>();
  for (const text of given) {
    const { name, value } = parseVariable(text, env);
    if (seen.has(name)) throw usageError(`--env sets ${name} more than once.`);
    seen.add(name);
    addVariable(pairs, { flag: "--env", name, value });
  }
  return Object.fromEntries(pairs);
}

interface Variable {
  readonly flag: string;
  readonly name: string;
  readonly value: string;
}

function parseVariable(
  text: string,
  env: EnvSources["env"],
): { readonly name: string; readonly value: string } {
  const [, name, assigned] = /^([A-Za-z_]\w*)(?:=([^]*))?$/.exec(text) ?? [];
  if (name === undefined)
    throw usageError(
      "--env must have the form NAME=value, or NAME to copy a variable from the current environment.",
    );
  const value = assigned ?? env[name];
  if (value === undefined)
    throw usageError(
      `Environment variable ${name.slice(0, MAX_NAME)} is not set. Set it, or pass --env NAME=value.`,
    );
  return { name, value };
}

function addVariable(pairs: Map<string, string>, { flag, name, value }: Variable): void {
  if (!/^[A-Za-z_]\w*$/.test(name) || name.length > MAX_NAME)
    throw usageError(
      `${flag} contains an invalid name. Names consist of letters, digits, and underscores (limit: ${MAX_NAME} characters).`,
    );
  if (value.length > MAX_VALUE || value.includes("\0"))
    throw usageError(
      `${flag}: the value of ${name} must not contain NUL characters (limit: ${MAX_VALUE} characters).`,
    );
  pairs.set(name, value);
  if (pairs.size > MAX_PAIRS) throw usageError(`${flag} contains too many variables (limit: ${MAX_PAIRS}).`);
}

const MAX_NAME = 128;
const MAX_VALUE = 32_768;
const MAX_PAIRS = 200;

/** Parses headers of the form `Name: value`. @throws {CliError} */
export function parseHeaderPairs(given: readonly string[]): Pairs {
  const pairs = new Map<string, string>();
  const seen = new Set<string>();
  for (const text of given) {
    const [name, value] = parseHeader(text);
    if (seen.has(name.toLowerCase())) throw usageError(`--header sets ${name} more than once.`);
    seen.add(name.toLowerCase());
    pairs.set(name, value);
  }
  return Object.fromEntries(pairs);
}
