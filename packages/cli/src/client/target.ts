/**
 * @fileoverview Server that a command connects to (a file, a URL, or a program), and the flags that select it.
 * @module cli/client/target
 */
import { isLoopbackHost } from "@tenon/internal/security/loopback";
import type { ArgsDef } from "citty";
import { MODERN_REVISIONS, type Revision, REVISIONS } from "tenon/protocol";
import { type Invocation, type Terminal, usageError } from "@tenon/internal/command-line/command";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";
import { oneLine } from "@tenon/internal/text";
import { isUrl } from "@tenon/internal/security/is-url";
import { splitWords } from "./split-words.js";

/** Description of an argument that selects a module. */
export const MODULE_DESCRIPTION = "Server: a module (file.ts or file.ts:export)";

/** Description of an argument that selects a module or a URL. */
export const SERVER_DESCRIPTION = `${MODULE_DESCRIPTION}, or an http or https URL`;

/** Argument for the server, which a flag or a program after `--` can replace. */
export const TARGET_ARG: ArgsDef = {
  target: { type: "positional", required: false, description: SERVER_DESCRIPTION },
};

/** Creates the flags of a command that can print JSON. `description` is the help text for `--json`. */
export function outputArgs(description: string): ArgsDef {
  return {
    json: { type: "boolean", description },
    output: {
      type: "enum",
      options: ["text", "json"],
      description: "Output format (default: text). --output json is the same as --json",
    },
  };
}

/** Flags that select a server. */
export const SERVER_ARGS: ArgsDef = {
  server: {
    type: "string",
    alias: "s",
    valueHint: "file or url",
    description: SERVER_DESCRIPTION,
  },
  command: {
    type: "string",
    valueHint: "words",
    description: "Command that starts a stdio server. You can also put it after --",
  },
  header: {
    type: "string",
    valueHint: "name: value",
    description: "Header for every HTTP request. Can be repeated",
  },
  "bearer-env": {
    type: "string",
    valueHint: "variable",
    description: "Environment variable that contains the bearer token (keeps it out of process lists)",
  },
};

/** Flags for every command that connects to a server and prints a result. */
export const TARGET_ARGS: ArgsDef = {
  ...SERVER_ARGS,
  revision: {
    type: "string",
    valueHint: "date",
    description: "Protocol revision (default: the newest one that the server supports)",
  },
  timeout: {
    type: "string",
    valueHint: "seconds",
    description: "Time limit for one request (default: 60)",
  },
  ...outputArgs("Print the result as JSON"),
  verbose: {
    type: "boolean",
    description: "Show the program's standard error output, and the stack trace of an error in a module",
  },
};

/** Advice for flags that users try instead of those in `TARGET_ARGS`. */
export const TARGET_HINTS: Readonly<Record<string, string>> = {
  bearer: "Put the token in an environment variable, and pass its name with --bearer-env.",
  token: "Put the token in an environment variable, and pass its name with --bearer-env.",
  url: "Pass the URL with --server.",
};

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
export function readTargetWords(invocation: Invocation, words: readonly string[]): TargetWords {
  const flags = toTargetFlags(invocation);
  if (hasServer(flags)) return { flags, words };
  const [server, ...others] = words;
  return { flags: { ...flags, server }, words: others };
}

/** Returns true if the flags select a server. */
export function hasServer({ server, command, program }: TargetFlags): boolean {
  return [server, command, program].some((one) => one !== undefined);
}

/** Returns true if the command prints its result as JSON. */
export function isJsonOutput({ isOn, text }: Pick<Invocation, "isOn" | "text">): boolean {
  return isOn("json") === true || text("output") === "json";
}

/** Unparsed values of `TARGET_ARGS`. */
export interface TargetFlags {
  readonly server: string | undefined;
  readonly command: string | undefined;
  readonly program: readonly string[] | undefined;
  readonly headers: readonly string[];
  readonly bearerEnv: string | undefined;
  readonly revision: string | undefined;
  readonly timeout: string | undefined;
  readonly verbose: boolean;
}

/** Reads the target flags from the command line. */
function toTargetFlags({ text, isOn, all, program }: Invocation): TargetFlags {
  return {
    server: text("server"),
    command: text("command"),
    program,
    headers: all("header"),
    bearerEnv: text("bearer-env"),
    revision: text("revision"),
    timeout: text("timeout"),
    verbose: isOn("verbose") === true,
  };
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
  const isUrl = server !== undefined && /^https?:/i.test(server);
  if (!isUrl && (flags.headers.length > 0 || flags.bearerEnv !== undefined)) {
    throw usageError("--header and --bearer-env require an http or https URL as the server.");
  }
  if (program !== undefined) return { kind: "program", words: program };
  if (command !== undefined) return { kind: "program", words: parseWords(command) };
  return isUrl ? parseUrl(server, flags, env) : { kind: "file", file: server ?? "" };
}

function parseWords(command: string): readonly string[] {
  const words = splitWords(command);
  if (words === undefined) throw usageError("--command contains an unclosed quote.");
  if (words.length === 0) throw usageError('--command must contain a program, such as "npx some-server".');
  return words;
}

function parseUrl(text: string, flags: TargetFlags, env: Terminal["env"]): Target {
  const url = isUrl(text) ? new URL(text) : undefined;
  // The error does not repeat the URL, because it may contain a secret.
  if (url === undefined)
    throw usageError("The server's URL is not valid. Pass a URL such as https://example.com/mcp.");
  if (url.username !== "" || url.password !== "") {
    throw usageError(
      "The server's URL must not contain a user name or password. Use --bearer-env or --header instead.",
    );
  }
  url.hash = "";
  const headers = flags.headers.map(parseHeader);
  if (flags.bearerEnv === undefined) return { kind: "url", url, headers };
  // A token passed by mistake must not appear in the message.
  if (!/^[A-Za-z_]\w{0,63}$/.test(flags.bearerEnv)) {
    throw usageError("--bearer-env must be the name of an environment variable, not the token itself.");
  }
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

function parseHeader(text: string): readonly [string, string] {
  const [, name, value] =
    /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw usageError('--header must have the form "Name: value".');
  if (/^(mcp-|content-|accept$|host$|connection$|transfer-)/i.test(name)) {
    throw usageError(`--header cannot set ${name}, because the protocol uses this header.`);
  }
  return [name, value];
}

/** Parses `--revision`. @throws {CliError} */
export function parseRevision(text: string | undefined): Revision | undefined {
  if (text === undefined) return undefined;
  const revision = REVISIONS.find((one) => one === text);
  if (revision !== undefined) return revision;
  const got = `got "${oneLine(text, 40)}"${suggestion(text, MODERN_REVISIONS)}`;
  throw usageError(`--revision must be one of ${REVISIONS.join(", ")}; ${got}`);
}

/** Parses `--timeout`. Returns milliseconds. @throws {CliError} */
export function parseTimeout(text: string | undefined): number {
  if (text === undefined) return 60_000;
  const seconds = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (seconds <= 0)
    throw usageError(`--timeout must be a number of seconds greater than 0; got "${oneLine(text, 40)}".`);
  return Math.ceil(seconds * 1_000);
}
