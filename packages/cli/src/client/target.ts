/**
 * @fileoverview Which server is meant: a file, an address or a program, and the flags that say so.
 * @module cli/client/target
 */
import { isLoopbackHost } from "@tenon/internal/security/loopback";
import type { ArgsDef } from "citty";
import { MODERN_REVISIONS, type Revision, REVISIONS } from "tenon/protocol";
import { cliError, type Invocation, type Terminal, usageError } from "@tenon/internal/command-line/command";
import { claimStdout } from "../load/claim-stdout.js";
import { loadServer } from "../load/load-server.js";
import { packageFacts } from "@tenon/internal/command-line/package-facts";
import { suggestion } from "@tenon/internal/command-line/read-arguments";
import { type Client, connectClient, ReplyError } from "./client.js";
import { openHttpTransport } from "./http-transport.js";
import { openMemoryTransport } from "./memory-transport.js";
import { splitWords } from "./split-words.js";
import { openStdioTransport } from "./stdio-transport.js";
import { type Transport, TransportError, type WireEvents } from "./transport.js";

/** The flags of every command that talks to a server. */
export const TARGET_ARGS: ArgsDef = {
  server: {
    type: "string",
    alias: "s",
    valueHint: "file or url",
    description: "The server: a module, or an http address",
  },
  command: {
    type: "string",
    valueHint: "words",
    description: "The server: a program on stdio; or give it after --",
  },
  header: {
    type: "string",
    valueHint: "name: value",
    description: "A header for every HTTP request; may stand several times",
  },
  "bearer-env": {
    type: "string",
    valueHint: "variable",
    description:
      "The environment variable that holds the bearer token, so that it stands in no list of processes",
  },
  revision: {
    type: "string",
    valueHint: "date",
    description: "The protocol revision; by default the newest that the server knows",
  },
  timeout: {
    type: "string",
    valueHint: "seconds",
    description: "How long one request may take; by default 60",
  },
  output: {
    type: "enum",
    options: ["text", "json"],
    description: "For people, or for programs; by default text",
  },
  verbose: { type: "boolean", description: "Show what a program writes to standard error" },
};

/** What those flags say, as they came. */
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

/** Takes them from the command line. */
export function targetFlags({ text, isOn, all, program }: Invocation): TargetFlags {
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

/** Connects to the server that is meant, lets it be used, and ends the connection whatever happens. */
export async function withClient<T>(
  flags: TargetFlags,
  terminal: Terminal,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const target = readTarget(flags, terminal.env);
  const settings = {
    revision: readRevision(flags.revision),
    timeoutMs: readTimeout(flags.timeout),
    signal: terminal.signal,
    version: packageFacts("@tenon/cli", import.meta.url).version,
  };
  // What the server's module prints is not what this program answers with.
  const claimed = target.kind === "file" ? claimStdout() : undefined;
  try {
    const client = await connectClient(await opener(target, flags, terminal), settings);
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  } catch (error) {
    if (error instanceof ReplyError)
      throw cliError(`The server answered with error ${error.code}: ${error.message}`);
    if (error instanceof TransportError) throw cliError(error.message);
    throw error;
  } finally {
    claimed?.release();
  }
}

async function opener(
  target: Target,
  flags: TargetFlags,
  terminal: Terminal,
): Promise<(events: WireEvents) => Transport | Promise<Transport>> {
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

/** The server that is meant. @throws CliError where that is none, or more than one */
function readTarget(flags: TargetFlags, env: Terminal["env"]): Target {
  const { server, command, program } = flags;
  const given = [server, command, program].filter((one) => one !== undefined);
  if (given.length === 0) {
    throw usageError("Which server? Give a file or an address with --server, or a program after --");
  }
  if (given.length > 1) throw usageError("Give one server: --server, --command or a program after --");
  const isUrl = server !== undefined && /^https?:/i.test(server);
  if (!isUrl && (flags.headers.length > 0 || flags.bearerEnv !== undefined)) {
    throw usageError("--header and --bearer-env go with an http address only");
  }
  if (program !== undefined) return { kind: "program", words: program };
  if (command !== undefined) return { kind: "program", words: readWords(command) };
  return isUrl ? readUrl(server, flags, env) : { kind: "file", file: server ?? "" };
}

function readWords(command: string): readonly string[] {
  const words = splitWords(command);
  if (words === undefined || words.length === 0)
    throw usageError("--command must be a program and its arguments");
  return words;
}

function readUrl(text: string, flags: TargetFlags, env: Terminal["env"]): Target {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The text itself stays out of errors: it may hold what it should not.
  if (url === undefined) throw usageError("--server is not a well-formed address");
  if (url.username !== "" || url.password !== "") {
    throw usageError("--server must hold no user name or password: use --bearer-env or --header");
  }
  url.hash = "";
  const headers = flags.headers.map(readHeader);
  if (flags.bearerEnv === undefined) return { kind: "url", url, headers };
  const token = env[flags.bearerEnv] ?? "";
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw usageError(`The environment variable ${flags.bearerEnv} holds no token`);
  }
  if (url.protocol === "http:" && !isLoopbackHost(url.hostname))
    throw usageError("A token goes over https only, or to this machine");
  return { kind: "url", url, headers: [...headers, ["authorization", `Bearer ${token}`]] };
}

function readHeader(text: string): readonly [string, string] {
  const [, name, value] =
    /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw usageError('--header must look like "Name: value"');
  if (/^(mcp-|content-|accept$|host$|connection$|transfer-)/i.test(name)) {
    throw usageError(`--header cannot set ${name}: it belongs to the protocol`);
  }
  return [name, value];
}

function readRevision(text: string | undefined): Revision | undefined {
  if (text === undefined) return undefined;
  const revision = REVISIONS.find((one) => one === text);
  if (revision !== undefined) return revision;
  throw usageError(`--revision must be one of ${REVISIONS.join(", ")}${suggestion(text, MODERN_REVISIONS)}`);
}

function readTimeout(text: string | undefined): number {
  if (text === undefined) return 60_000;
  const seconds = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (seconds <= 0) throw usageError("--timeout must be a number of seconds above 0");
  return Math.ceil(seconds * 1_000);
}
