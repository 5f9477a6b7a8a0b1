/**
 * @fileoverview Connects to the server that the flags select, runs a command with it, and explains its errors.
 * @module cli/client/session
 */
import { cliError, interrupted, type Terminal } from "@tenon/internal/command-line/command";
import { packageFacts } from "@tenon/internal/command-line/package-facts";
import { oneLine } from "@tenon/internal/text";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { toServerSource } from "@tenon/sdk/adapters";
import {
  type Client,
  ClientError,
  ConnectionError,
  createClient,
  type SharedClientOptions,
} from "tenon/client";
import { DEFAULT_LIMITS, parseFrame, TRAITS } from "tenon/protocol";
import { type Answerer, createAnswerer, warnUnused } from "../answers/answerer.js";
import { DEFAULT_TIMEOUT } from "../define-command.js";
import { claimStdout } from "../load/claim-stdout.js";
import { createFailureLog } from "../load/failure-log.js";
import { type LoadedServer, loadServer } from "../load/load-server.js";
import { createLiveSteps, runStep } from "../steps.js";
import { parseTarget, type Target, type TargetFlags } from "./target.js";
import { fromBase64Url } from "@tenon/internal/base64";
import { decodeUtf8 } from "@tenon/internal/utf8";

/** Options for `runWithClient`. */
export interface RunOptions {
  readonly terminal: Terminal;
  /** Answers the server's requests for input. */
  readonly answerer?: Answerer | undefined;
}

/** Connected client, with its token, and its server's module and failures. */
export interface Session {
  readonly client: Client;
  /** Server of a module. Undefined for programs and URLs. */
  readonly loaded: LoadedServer | undefined;
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
  const options = toClientOptions(flags, terminal, answerer);
  // The module's output must not mix with the command's output.
  const claimed = target.kind === "file" ? claimStdout() : undefined;
  const failures: string[] = [];
  const token = target.kind === "url" ? bearerOf(target.headers) : undefined;
  try {
    const { client, loaded } = await connect(target, { flags, terminal, failures, options });
    try {
      return await run({ client, loaded, token, failures: () => failures });
    } finally {
      await client.close();
    }
  } catch (error) {
    if (terminal.signal.aborted) throw interrupted();
    if (error instanceof ClientError)
      throw cliError([describeClientError(error, token), ...failures].join("\n"));
    if (error instanceof ConnectionError) throw cliError(describeConnectionError(error, token));
    throw error;
  } finally {
    claimed?.release();
  }
}

/** Options for `runWithAnswers`. */
export interface AnswerOptions {
  readonly terminal: Terminal;
  /** Values of `--answer`. */
  readonly answer: readonly string[];
  /** Runs before the user is asked. */
  readonly beforeQuestion?: () => void;
}

/**
 * Runs a function with a client that answers the server's requests for input, and warns about unused answers. `stop`
 * ends a request whose questions cannot be answered. It is empty if nobody can answer.
 *
 * @throws {CliError}
 */
export async function runWithAnswers<T>(
  flags: TargetFlags,
  { terminal, answer, beforeQuestion = () => {} }: AnswerOptions,
  run: (session: Session, stop: { readonly signal?: AbortSignal }) => Promise<T>,
): Promise<T> {
  const answerer = createAnswerer(answer, terminal, beforeQuestion);
  const stop = answerer === undefined ? {} : { signal: answerer.signal };
  const result = await runWithClient(flags, { terminal, answerer }, (session) => run(session, stop));
  warnUnused(answerer, terminal);
  return result;
}

function toClientOptions(
  flags: TargetFlags,
  { signal }: Terminal,
  answerer: RunOptions["answerer"],
): SharedClientOptions {
  const { revision = "latest", timeout = DEFAULT_TIMEOUT } = flags;
  return {
    revision,
    // Older revisions do not have the Tasks extension.
    tasks: revision === "latest" || TRAITS[revision].stateless,
    timeoutMs: Math.ceil(timeout * 1_000),
    signal,
    clientInfo: { name: "tenon", version: packageFacts("@tenon/cli", import.meta.url).version },
    ...(answerer?.input === undefined ? {} : { input: answerer.input }),
  };
}

function describeClientError({ code, message, data }: ClientError, token: string | undefined): string {
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

function describeConnectionError(error: ConnectionError, token: string | undefined): string {
  const { code } = error;
  if (code === "unauthorized" || code === "forbidden") return describeRejection(error, token);
  // The command line does not have the options of the client.
  const message = error.message.replace(/ The option `limits\.\w+` raises the limit\.$/, "");
  return code === "timeout" ? `${message} Raise --timeout to wait longer.` : message;
}

/** Advice for a call that asks for input when nobody can answer. */
export const ASK_HINT = "Run the command in a terminal, or answer with --answer name=value.";

interface ConnectOptions {
  readonly flags: TargetFlags;
  readonly terminal: Terminal;
  /** Collects failures of the module's handlers. */
  readonly failures: string[];
  readonly options: SharedClientOptions;
}

type Connected = Pick<Session, "client" | "loaded">;

async function connect(target: Target, connecting: ConnectOptions): Promise<Connected> {
  if (target.kind === "file") return openModule(target.file, connecting);
  // The module's and the program's own output must not mix with the line that shows the step.
  const { flags, terminal } = connecting;
  const steps = createLiveSteps(terminal, { isQuiet: flags.verbose === true });
  const label = target.kind === "url" ? `Connect to ${target.url.host}` : `Start ${target.words.join(" ")}`;
  const client = await runStep(steps, label, () => open(target, connecting)).catch((error: unknown) => {
    // A program that exits without a message is often not a server, or not one for stdio.
    const isSilent = error instanceof ConnectionError && /exited with code \d+\.$/.test(error.message);
    throw isSilent ? cliError(`${error.message} Check that the program is an MCP server over stdio.`) : error;
  });
  return { client, loaded: undefined };
}

async function openModule(
  file: string,
  { flags, terminal, failures, options }: ConnectOptions,
): Promise<Connected> {
  const loaded = await loadServer(file, terminal.cwd);
  const { origin, context, module } = loaded;
  const server = await toServerSource(origin).open("memory");
  server.useLog?.(createFailureLog(failures, { module, showStack: flags.verbose === true }));
  return { client: await createClient(server, { ...options, context }), loaded };
}

async function open(
  target: Exclude<Target, { kind: "file" }>,
  { flags, terminal, options }: ConnectOptions,
): Promise<Client> {
  if (target.kind === "url")
    return createClient(target.url, { ...options, headers: Object.fromEntries(target.headers) });
  const { cwd, env, stderr } = terminal;
  const [command = "", ...args] = target.words;
  const onStderr =
    flags.verbose === true ? { onStderr: (chunk: Uint8Array) => void stderr.write(chunk) } : {};
  return createClient({ command, args, cwd, env, ...onStderr }, { ...options, reconnect: false });
}

/** Describes a rejection for the user. */
function describeRejection(
  { code, reason = "", requiredScopes }: ConnectionError,
  token: string | undefined,
): string {
  const why = reason === "" ? "." : `: ${reason}`;
  if (code === "forbidden")
    return `The server denied access (HTTP 403)${why} ${describeScopes(requiredScopes, token)}`;
  return token === undefined
    ? `The server requires authorization (HTTP 401)${why} Pass a token with --bearer-env.`
    : `The server rejected the token (HTTP 401)${why}`;
}

/** Describes the scopes that a call requires and its token lacks. */
function describeScopes(required: readonly string[], token: string | undefined): string {
  if (required.length === 0) return "Check the token's scopes and the server's allowed hosts.";
  const shown = (scopes: readonly string[]) => scopes.map((scope) => oneLine(scope, 100)).join(", ");
  if (token === undefined) return `Use --bearer-env to pass a token with these scopes: ${shown(required)}.`;
  const granted = readTokenScopes(token);
  const missing = granted === undefined ? [] : required.filter((scope) => !granted.includes(scope));
  return missing.length === 0
    ? `Required scopes: ${shown(required)}.`
    : `The token lacks these scopes: ${shown(missing)}.`;
}

/** Returns the bearer token in a request's headers. */
function bearerOf(sent: readonly (readonly [string, string])[]): string | undefined {
  const value = sent.find(([name]) => name.toLowerCase() === "authorization")?.[1];
  return value === undefined ? undefined : (/^Bearer +([^ ].*)$/i.exec(value)?.[1] ?? value);
}

/** Reads the scopes of a JWT without verifying it. Returns `undefined` for other tokens. */
function readTokenScopes(token: string): readonly string[] | undefined {
  const claims = readClaims(token);
  if (claims === undefined) return undefined;
  const scopes = claims["scp"] ?? claims["scope"] ?? "";
  if (typeof scopes === "string") return scopes.split(" ");
  return Array.isArray(scopes) ? scopes.map(String) : undefined;
}

function readClaims(token: string): JsonObject | undefined {
  const [, payload = "", signature] = token.split(".");
  if (signature === undefined) return undefined;
  const bytes = fromBase64Url(payload);
  const text = bytes === undefined ? undefined : decodeUtf8(bytes);
  const parsed = text === undefined ? undefined : parseFrame(text, DEFAULT_LIMITS);
  return parsed?.ok === true && isJsonObject(parsed.value) ? parsed.value : undefined;
}
