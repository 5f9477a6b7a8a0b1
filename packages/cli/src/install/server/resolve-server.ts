/**
 * @fileoverview Turns the words of the command line into a server that starts from any working directory.
 * @module cli/install/server/resolve-server
 */
import { usageError } from "@tenon/internal/command-line/command";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";
import { oneLine } from "@tenon/internal/text";
import { isLoopbackHost } from "@tenon/internal/security/loopback";
import { isUrl } from "@tenon/internal/security/is-url";
import type { Launcher } from "../context.js";
import { pathsOf } from "../places.js";
import { nameOfModule, nameOfProgram, nameOfUrl, SCRIPT } from "./server-name.js";
import type { FileProbe, Machine, Pairs, Server } from "../types.js";
import { splitTarget } from "../../load/split-target.js";

/** Server as the user described it. */
export interface ServerWords {
  /** File or URL. */
  readonly target: string | undefined;
  /** Program and arguments after `--`. */
  readonly program: readonly string[] | undefined;
  readonly env: Pairs;
  readonly headers: Pairs;
}

/** Access to the machine. */
export interface ResolveOptions {
  readonly machine: Machine;
  readonly files: FileProbe;
  /** Returns the command that runs `tenon` for a module in a folder. */
  readonly findLauncher: (folder: string) => Promise<Launcher>;
}

/** Server to install, with a default name. */
export interface ResolvedServer {
  readonly server: Server;
  /** Default name. `undefined` if none can be derived. */
  readonly name: string | undefined;
  /** Remarks for the user. */
  readonly notes: readonly string[];
}

/** Resolves a server. @throws {CliError} unless the words describe exactly one server */
export async function resolveServer(words: ServerWords, options: ResolveOptions): Promise<ResolvedServer> {
  const { target, program } = words;
  if (target !== undefined && program !== undefined)
    throw usageError("More than one server specified. Pass either a file or URL, or a program after --.");
  if (target === undefined && program === undefined)
    throw usageError("No server specified. Pass a file or a URL, or a program after --.");
  const isUrl = target !== undefined && /^https?:/i.test(target);
  if (isUrl && Object.keys(words.env).length > 0)
    throw usageError("--env and --env-file require a stdio server. Use --header for a URL.");
  if (!isUrl && Object.keys(words.headers).length > 0)
    throw usageError("--header requires an http or https URL as the server.");
  if (isUrl) return resolveUrl(target, words.headers);
  return target === undefined
    ? resolveProgram(program ?? [], words.env, options)
    : resolveModule(target, words.env, options);
}

function resolveUrl(text: string, headers: Pairs): ResolvedServer {
  const url = isUrl(text) ? new URL(text) : undefined;
  // The error does not repeat the URL, because it may contain a secret.
  if (url === undefined)
    throw usageError("The server's URL is not valid. Pass a URL such as https://example.com/mcp.");
  if (url.username !== "" || url.password !== "")
    throw usageError("The server's URL must not contain a user name or password. Use --header instead.");
  url.hash = "";
  const isExposed =
    url.protocol === "http:" && !isLoopbackHost(url.hostname) && Object.keys(headers).length > 0;
  return {
    server: { kind: "http", url: url.href, headers },
    name: nameOfUrl(url),
    notes: isExposed
      ? ["The URL does not use https, so the client sends the headers without encryption."]
      : [],
  };
}

/** Writes paths of files as absolute paths, because clients start servers in a folder of their choice. */
async function resolveProgram(
  words: readonly string[],
  env: Pairs,
  { machine, files }: ResolveOptions,
): Promise<ResolvedServer> {
  const paths = pathsOf(machine);
  const notes: string[] = [];
  const toAbsolute = async (word: string, index: number): Promise<string> => {
    const mayBePath = /[\\/]/.test(word) || (index > 0 && SCRIPT.test(word));
    if (!mayBePath || /^[-@]/.test(word) || paths.isAbsolute(word)) return word;
    const path = paths.resolve(machine.cwd, word);
    if (!(await files.isFile(path))) return word;
    notes.push(`Wrote "${oneLine(word)}" as an absolute path, because clients start servers in any folder.`);
    return path;
  };
  const [command = "", ...args] = await Promise.all(words.map(toAbsolute));
  if (command.trim() === "") throw usageError('Add a program after "--".');
  return {
    server: { kind: "stdio", command, args, env },
    name: nameOfProgram(words, machine),
    notes,
  };
}

async function resolveModule(target: string, env: Pairs, options: ResolveOptions): Promise<ResolvedServer> {
  const { machine, findLauncher, files } = options;
  const { path, exportName } = await findModule(target, machine, files);
  const launcher = await findLauncher(pathsOf(machine).dirname(path));
  const module = exportName === undefined ? path : `${path}:${exportName}`;
  return {
    server: { kind: "stdio", command: launcher.command, args: [...launcher.args, "run", module], env },
    name: await nameOfModule({ path, exportName }, machine, files),
    notes: [],
  };
}

/** Finds the file of `file` or `file:export`. A file whose whole name exists wins, as in the other commands. */
async function findModule(target: string, machine: Machine, files: FileProbe) {
  const { resolve, dirname, basename } = pathsOf(machine);
  const whole = resolve(machine.cwd, target);
  if (await files.isFile(whole)) return { path: whole, exportName: undefined };
  const { file, exportName } = splitTarget(target) ?? { file: target, exportName: undefined };
  const path = resolve(machine.cwd, file);
  if (exportName !== undefined && (await files.isFile(path))) return { path, exportName };
  const shown = oneLine(file, 200);
  if (await files.exists(path))
    throw usageError(`"${shown}" is not a file. Pass a module such as src/server.ts.`);
  const hint = /[./\\]/.test(file) ? "" : ` To install a program, put it after --: -- ${shown}`;
  const siblings = await files.list(dirname(path));
  throw usageError(`File "${shown}" not found${suggestion(basename(path), siblings)}${hint}`);
}
