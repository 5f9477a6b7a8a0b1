/**
 * @fileoverview Connects to the server that the flags select, runs a command with it, and explains its errors.
 * @module cli/client/session
 */
import { isJsonObject } from "@tenon/internal/json";
import { cliError, type Terminal } from "@tenon/internal/command-line/command";
import { packageFacts } from "@tenon/internal/command-line/package-facts";
import { oneLine } from "@tenon/internal/command-line/text";
import { claimStdout } from "../load/claim-stdout.js";
import { createFailureLog } from "../load/failure-log.js";
import { loadServer } from "../load/load-server.js";
import { type Client, connectClient, type RequestAnswerer } from "./client.js";
import { openHttpTransport } from "./http-transport.js";
import { openMemoryTransport } from "./memory-transport.js";
import { bearerOf, describeScopes } from "./refusal.js";
import { openStdioTransport } from "./stdio-transport.js";
import { parseRevision, parseTarget, parseTimeout, type Target, type TargetFlags } from "./target.js";
import { ReplyError, type Transport, TransportError, type TransportEvents } from "./transport.js";

/** Options for `runWithClient`. */
export interface RunOptions {
  readonly terminal: Terminal;
  /** Answers the server's requests for input. */
  readonly answerer?: RequestAnswerer | undefined;
}

/** Connected client, with its token and its server's failures. */
export interface Session {
  readonly client: Client;
  /** Bearer token sent to the server, if any. */
  readonly token: string | undefined;
  /** Returns the failures that a module's handlers logged, as text. Empty for programs and URLs. */
  readonly failures: () => readonly string[];
}

/** Connects to a server and runs a function with the client. Always closes the connection. @throws {CliError} */
export async function runWithClient<T>(
  flags: TargetFlags,
  { terminal, answerer }: RunOptions,
  run: (session: Session) => Promise<T>,
): Promise<T> {
  const target = parseTarget(flags, terminal.env);
  const settings = {
    revision: parseRevision(flags.revision),
    timeoutMs: parseTimeout(flags.timeout),
    signal: terminal.signal,
    version: packageFacts("@tenon/cli", import.meta.url).version,
    answerer,
  };
  // The module's output must not mix with the command's output.
  const claimed = target.kind === "file" ? claimStdout() : undefined;
  const failures: string[] = [];
  const token = target.kind === "url" ? bearerOf(target.headers) : undefined;
  try {
    const client = await connectClient(await createOpener(target, { flags, terminal, failures }), settings);
    try {
      return await run({ client, token, failures: () => failures });
    } finally {
      await client.close();
    }
  } catch (error) {
    if (error instanceof ReplyError)
      throw cliError([describeReplyError(error, token), ...failures].join("\n"));
    if (error instanceof TransportError) throw cliError(error.message);
    throw error;
  } finally {
    claimed?.release();
  }
}

function describeReplyError({ code, message, data }: ReplyError, token: string | undefined): string {
  const text = `The server responded with error ${code}: ${oneLine(message, 2_000)}`;
  const details = isJsonObject(data) ? data : {};
  const scopes: readonly unknown[] = Array.isArray(details["requiredScopes"])
    ? details["requiredScopes"]
    : [];
  if (scopes.length > 0) return `${text} ${describeScopes(scopes.map(String), token)}`;
  const isQuestion =
    isJsonObject(details["requiredCapabilities"]) && "elicitation" in details["requiredCapabilities"];
  return isQuestion ? `${text} ${ASK_HINT}` : text;
}

/** Advice for a call that asks for input when nobody can answer. */
export const ASK_HINT = "Run the command in a terminal, or answer with --answer name=value.";

interface OpenerOptions {
  readonly flags: TargetFlags;
  readonly terminal: Terminal;
  /** Collects failures of the module's handlers. */
  readonly failures: string[];
}

async function createOpener(
  target: Target,
  { flags, terminal, failures }: OpenerOptions,
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
      const loaded = await loadServer(target.file, cwd);
      const log = createFailureLog(failures, { module: loaded.module, showStack: flags.verbose });
      return (events) => openMemoryTransport(loaded, log, events);
    }
  }
}
