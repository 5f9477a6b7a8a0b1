/**
 * @fileoverview Server that a command connects to (a file, a URL, or a program), and the flags that select it.
 * @module cli/client/target
 */
import { isLoopbackHost } from "@tenon/internal/security/loopback";
import { MODERN_REVISIONS, type Revision, REVISIONS } from "tenon/protocol";
import { type ExtraWords, type Terminal, usageError } from "@tenon/internal/command-line/command";
import {
  type FlagValues,
  optionalArgument,
  repeated,
  toggle,
  value,
} from "@tenon/internal/command-line/flags";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";
import { isUrl } from "@tenon/internal/security/is-url";
import { custom } from "@tenon/internal/options/option-rows";
import { MODULE_DESCRIPTION, outputArgs, timeoutArgs, variableFlag } from "../define-command.js";

const SERVER_DESCRIPTION = `${MODULE_DESCRIPTION}, or an http or https URL`;

/** Argument for the server, which a flag or a program after `--` can replace. */
export const TARGET_ARG = { target: optionalArgument(SERVER_DESCRIPTION) };

/** Flags that select a server. */
export const SERVER_ARGS = {
  server: value("file or url", SERVER_DESCRIPTION, { alias: "s" }),
  command: value("words", "Command that starts a stdio server. You can also put it after --"),
  header: repeated("name: value", "Header for every HTTP request"),
  "bearer-env": variableFlag(
    "token",
    "Environment variable that contains the bearer token (keeps it out of process lists)",
  ),
};

/** Flags for every command that connects to a server and prints a result. */
export const TARGET_ARGS = {
  ...SERVER_ARGS,
  revision: value("date", "Protocol revision (default: the newest one that the server supports)", {
    option: custom<Revision>({
      expected: `one of ${REVISIONS.join(", ")}`,
      accepts: (date) => REVISIONS.some((one) => one === date),
      fix: (date) => suggestion(String(date), MODERN_REVISIONS).slice(2) || undefined,
    }),
  }),
  ...timeoutArgs(),
  ...outputArgs("Print the result as JSON"),
  verbose: toggle("Show the program's standard error output, and the stack trace of an error in a module"),
};

/** Advice for flags that users try instead of those in `TARGET_ARGS`. */
export const TARGET_HINTS: Readonly<Record<string, string>> = {
  bearer: "Put the token in an environment variable, and pass its name with --bearer-env.",
  token: "Put the token in an environment variable, and pass its name with --bearer-env.",
  url: "Pass the URL with --server.",
};

/** Values of the flags that select a server, and of those for the connection. */
export type TargetFlags = Partial<FlagValues<typeof TARGET_ARGS> & Pick<ExtraWords, "program">>;

/** Command-line words that are not flags, and the server that they or the flags select. */
export interface TargetWords {
  readonly flags: TargetFlags;
  /** Words after the server. */
  readonly words: readonly string[];
}

/**
 * Separates the server from the other words. The first word is the server, unless a flag or a program after `--`
 * selects it.
 */
export function readTargetWords(flags: TargetFlags, given: readonly (string | undefined)[]): TargetWords {
  const words = given.filter((word) => word !== undefined);
  if (hasServer(flags)) return { flags, words };
  const [server, ...others] = words;
  return { flags: { ...flags, server }, words: others };
}

/** Returns the flags with the server that the argument selects. @throws {CliError} if `--server` selects one too */
export function readServer<Given extends TargetFlags & FlagValues<typeof TARGET_ARG>>(flags: Given): Given {
  const { target, server } = flags;
  if (target !== undefined && server !== undefined)
    throw usageError("The server is specified twice. Use either the argument or --server.");
  return { ...flags, server: server ?? target };
}

/** Returns true if the flags select a server. */
export function hasServer({ server, command, program }: TargetFlags): boolean {
  return [server, command, program].some((one) => one !== undefined);
}

/** Server that the flags select. */
export type Target =
  | { readonly kind: "file"; readonly file: string }
  | { readonly kind: "program"; readonly words: readonly string[] }
  | { readonly kind: "url"; readonly url: URL; readonly headers: readonly (readonly [string, string])[] };

/** Parses the flags that select the server. @throws {CliError} unless they select exactly one */
export function parseTarget(flags: TargetFlags, env: Terminal["env"]): Target {
  const { server, command, program } = flags;
  const given = [server, command, program].filter((one) => one !== undefined);
  if (given.length === 0) {
    throw usageError("No server specified. Pass a file or a URL with --server, or a program after --.");
  }
  if (given.length > 1)
    throw usageError(
      "More than one server specified. Use only one of --server, --command, or a program after --.",
    );
  const isHttp = server !== undefined && /^https?:/i.test(server);
  if (!isHttp && ((flags.header ?? []).length > 0 || flags.bearerEnv !== undefined)) {
    throw usageError("--header and --bearer-env require an http or https URL as the server.");
  }
  if (program !== undefined) return { kind: "program", words: program };
  if (command !== undefined) return { kind: "program", words: parseWords(command) };
  return isHttp ? parseUrl(server, flags, env) : { kind: "file", file: server ?? "" };
}

function parseWords(command: string): readonly string[] {
  const words = splitWords(command);
  if (words === undefined) throw usageError("--command contains an unclosed quote.");
  if (words.length === 0) throw usageError('--command must contain a program, such as "npx some-server".');
  return words;
}

function parseUrl(given: string, flags: TargetFlags, env: Terminal["env"]): Target {
  const url = isUrl(given) ? new URL(given) : undefined;
  // The error does not repeat the URL, because it may contain a secret.
  if (url === undefined)
    throw usageError("The server's URL is not valid. Pass a URL such as https://example.com/mcp.");
  if (url.username !== "" || url.password !== "") {
    throw usageError(
      "The server's URL must not contain a user name or password. Use --bearer-env or --header instead.",
    );
  }
  url.hash = "";
  const headers = (flags.header ?? []).map(parseHeader);
  if (flags.bearerEnv === undefined) return { kind: "url", url, headers };
  const token = env[flags.bearerEnv] ?? "";
  if (token === "")
    throw usageError(`Environment variable ${flags.bearerEnv} is not set. Set it to the token.`);
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw usageError(
      `Environment variable ${flags.bearerEnv} must contain only the token, without spaces or line breaks.`,
    );
  }
  if (url.protocol === "http:" && !isLoopbackHost(url.hostname))
    throw usageError("--bearer-env requires an https URL, unless the server runs on this machine.");
  return { kind: "url", url, headers: [...headers, ["authorization", `Bearer ${token}`]] };
}

/** Parses `Name: value`. @throws {CliError} for another form, and for headers that the protocol uses */
export function parseHeader(header: string): readonly [string, string] {
  const [, name, value] =
    /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/.exec(header) ?? [];
  if (name === undefined || value === undefined || header.length > MAX_HEADER)
    throw usageError('--header must have the form "Name: value".');
  if (/^(mcp-|content-|accept$|host$|connection$|transfer-)/i.test(name)) {
    throw usageError(`--header cannot set ${name}, because the protocol uses this header.`);
  }
  return [name, value];
}

/** Maximum length of a header in characters. */
const MAX_HEADER = 32_768;

/** Splits text at spaces like a shell, respecting quotes, without expansion. Returns `undefined` for an unclosed quote. */
export function splitWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (const character of text) {
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word = (word ?? "") + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (quote !== undefined) return undefined;
  return word === undefined ? words : [...words, word];
}
