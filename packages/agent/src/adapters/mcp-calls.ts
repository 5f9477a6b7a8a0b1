/**
 * @fileoverview Lists and calls tools with Tenon's MCP client. Failures are described for the model.
 * @module agent/adapters/mcp-calls
 */
import type { JsonObject } from "@tenon/internal/json";
import { codeOf } from "@tenon/internal/thrown";
import { type Client, ClientError, ConnectionError } from "tenon/client";
import { McpError, type ToolResult } from "tenon/protocol";
import type { ToolInvokeContext } from "../tools/define-tool.js";
import { plainText } from "../tools/plain-text.js";
import { type McpToolLike, readHints } from "./agent-tool.js";
import { collectTools, executionError, readResult } from "./mcp-tools.js";

/** Call of an MCP tool. */
export interface RemoteCall {
  readonly definition: McpToolLike;
  readonly args: JsonObject;
  /** Time limit in milliseconds. Progress restarts it. @default 300,000 */
  readonly timeoutMs?: number | undefined;
}

/** Lists a server's tools. @throws if there are too many */
export function listRemoteTools(client: Client): Promise<readonly McpToolLike[]> {
  return collectTools(async () => ({ tools: await client.listTools() }));
}

/**
 * Calls a tool. Progress messages of the server are shown to the user.
 *
 * @throws {McpError} if the call failed; the message is for the model
 */
export async function callRemoteTool(
  client: Client,
  { definition, args, timeoutMs = DEFAULT_TIMEOUT_MS }: RemoteCall,
  { signal, postMessage }: Pick<ToolInvokeContext, "signal" | "postMessage">,
): Promise<ToolResult> {
  const onProgress = ({ message }: { readonly message?: string }) => {
    if (typeof message === "string" && message !== "") postMessage?.(plainText(message, MAX_TEXT));
  };
  try {
    return readResult(
      await client.callTool(definition.name, args, {
        timeoutMs,
        onProgress,
        ...(signal === undefined ? {} : { signal }),
      }),
    );
  } catch (error) {
    signal?.throwIfAborted();
    throw describeFailure(error);
  }
}

const DEFAULT_TIMEOUT_MS = 300_000;
const MAX_TEXT = 1_000;

/** Error for a call whose connection to the server was lost. */
export class LostCallError extends McpError {
  /** True if the server cannot have received the call. */
  readonly isUnsent: boolean;

  // The original error is not kept as the cause: it may contain the error output of the server's program.
  constructor(isUnsent: boolean) {
    super("AGENT_EXECUTION_ERROR", isUnsent ? UNREACHABLE : LOST);
    this.isUnsent = isUnsent;
  }
}

const UNREACHABLE = "The MCP server could not be reached. The tool was not run. Try again later.";
const LOST =
  "The connection to the MCP server was lost during the call. It is not known if the tool did its work. " +
  "Check the state before you call the tool again.";

/** Returns true if a call of the tool can be repeated, although the first one may have run. */
export function isRepeatable({ annotations }: McpToolLike): boolean {
  const { readOnlyHint, idempotentHint } = readHints(annotations) ?? {};
  return readOnlyHint === true || idempotentHint === true;
}

/** Returns true if an error means that the connection to the server was lost. */
export function isLost(error: unknown): error is ConnectionError {
  return error instanceof ConnectionError && LOST_CODES.has(error.code);
}

const LOST_CODES: ReadonlySet<string> = new Set(["unreachable", "closed", "session-expired", "program"]);

const PROBLEMS: ReadonlyMap<string, string> = new Map([
  ["timeout", "did not respond in time"],
  ["unauthorized", "rejected the agent's credentials"],
  ["forbidden", "denied access"],
]);

function describeFailure(error: unknown): unknown {
  if (isLost(error)) return new LostCallError(wasNotSent(error));
  if (error instanceof ConnectionError) {
    const what = PROBLEMS.get(error.code) ?? "did not send a valid response";
    return executionError(`The MCP server ${what}.`, error);
  }
  return error instanceof ClientError ? executionError(error.message, error) : error;
}

/** Returns true if the request cannot have reached the server. */
function wasNotSent({ code, cause }: ConnectionError): boolean {
  if (code === "program") return true;
  const reason: unknown = cause instanceof Error ? cause.cause : undefined;
  return NOT_SENT.has(String(codeOf(reason)));
}

/** Codes of Node.js for requests that were not sent. */
const NOT_SENT: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);
