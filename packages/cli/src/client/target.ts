/**
 * @fileoverview The server that a command connects to: a file, a URL, or a program, and the flags that select it.
 * @module cli/client/target
 */
import { isLoopbackHost } from "@tenon/internal/security/loopback";
import type { ArgsDef } from "citty";
import { MODERN_REVISIONS, type Revision, REVISIONS } from "tenon/protocol";
import { cliError, type Invocation, type Terminal, usageError } from "@tenon/internal/command-line/command";
import { claimStdout } from "../load/claim-stdout.js";
import { loadServer } from "../load/load-server.js";
import { packageFacts } from "@tenon/internal/command-line/package-facts";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";
import { oneLine } from "@tenon/internal/command-line/text";
import { type Client, connectClient, ReplyError } from "./client.js";
import { openHttpTransport } from "./http-transport.js";
import { openMemoryTransport } from "./memory-transport.js";
import { splitWords } from "./split-words.js";
import { openStdioTransport } from "./stdio-transport.js";
import { type Transport, TransportError, type TransportEvents } from "./transport.js";

/** Flags for every command that connects to a server. */
export const TARGET_ARGS: ArgsDef = {
  server: {
    type: "string",
    alias: "s",
    valueHint: "file or url",
    description: "Server to use: a module, or an http or https URL",
  },
  command: {
    type: "string",
    valueHint: "words",
    description: "Server to use: a program on stdio. You can also pass it after --",
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
  output: {
    type: "enum",
    options: ["text", "json"],
    description: "Output format (default: text)",
  },
  verbose: { type: "boolean", description: "Show the program's standard error" },
};

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
export function toTargetFlags({ text, isOn, all, program }: Invocation): TargetFlags {
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

type Target =
  | { readonly kind: "file"; readonly file: string }
  | { readonly kind: "program"; readonly words: readonly string[] }
  | { readonly kind: "url"; readonly url: URL; readonly headers: readonly (readonly [string, string])[] };

/** Connects to a server and runs a function with the client. Always closes the connection. @throws CliError */
export async function runWithClient<T>(
  flags: TargetFlags,
  terminal: Terminal,
  run: (client: Client) => Promise<T>,
): Promise<T> {
  const target = parseTarget(flags, terminal.env);
  const settings = {
    revision: parseRevision(flags.revision),
    timeoutMs: parseTimeout(flags.timeout),
    signal: terminal.signal,
    version: packageFacts("@tenon/cli", import.meta.url).version,
  };
  // The module's output must not mix with this program's output.
  const claimed = target.kind === "file" ? claimStdout() : undefined;
  try {
    const client = await connectClient(await createOpener(target, flags, terminal), settings);
    try {
      return await run(client);
    } finally {
      await client.close();
    }
  } catch (error) {
    if (error instanceof ReplyError)
      throw cliError(`The server responded with error ${error.code}: ${error.message}`);
    if (error instanceof TransportError) throw cliError(error.message);
    throw error;
  } finally {
    claimed?.release();
  }
}

async function createOpener(
  target: Target,
  flags: TargetFlags,
  terminal: Terminal,
): Promise<(events: TransportEvents) => Transport | Promise<Transport>> {
  const { cwd, env, stderr } = terminal;
  switch (target.kind) {
    case "url":
      return (events) => openHttpTransport(target, events);
    case "program": {
      const onStderr = flags.verbose ? { onStderr: (chunk: Uint8Array) => void stderr.write(chunk) } : {};
      return (events) => openStdioTransport({ words: target.words, cwd, env, ...onStderr }, events);
    }
    case "file": {
      const { origin } = await loadServer(target.file, cwd);
      return (events) => openMemoryTransport(origin, events);
    }
  }
}

/** Parses the flags that select the server. @throws CliError unless they select exactly one */
function parseTarget(flags: TargetFlags, env: Terminal["env"]): Target {
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
  if (words === undefined) throw usageError("--command contains an open quote. Close it.");
  if (words.length === 0) throw usageError('--command must contain a program, such as "npx some-server".');
  return words;
}

function parseUrl(text: string, flags: TargetFlags, env: Terminal["env"]): Target {
  const url = URL.canParse(text) ? new URL(text) : undefined;
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

function parseRevision(text: string | undefined): Revision | undefined {
  if (text === undefined) return undefined;
  const revision = REVISIONS.find((one) => one === text);
  if (revision !== undefined) return revision;
  const got = `got "${oneLine(text, 40)}"${suggestion(text, MODERN_REVISIONS)}`;
  throw usageError(`--revision must be one of ${REVISIONS.join(", ")}; ${got}`);
}

function parseTimeout(text: string | undefined): number {
  if (text === undefined) return 60_000;
  const seconds = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (seconds <= 0)
    throw usageError(`--timeout must be a number of seconds greater than 0; got "${oneLine(text, 40)}".`);
  return Math.ceil(seconds * 1_000);
}
