/**
 * @fileoverview Converts an MCP server's tools to agent tools. The server is a Tenon server in this process, or any
 * server that an SDK client is connected to.
 * @module agent/adapters/from-mcp-server
 */
import { Connection } from "tenon/host";
import type { Auth } from "tenon";
import { type ServerLike } from "tenon";
import { toServer } from "tenon/host";
import { isToolResult } from "tenon/host";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import {
  type JsonRpcNotification,
  type JsonRpcResponse,
  LATEST_LEGACY,
  McpError,
  type ToolResult,
} from "tenon/protocol";
import type { ToolDefinition, ToolInvokeContext } from "../tools/define-tool.js";
import { type AgentToolOptions, type McpToolLike, toAgentTool } from "./agent-tool.js";

/** Options for `fromMcpServer`. */
export interface FromMcpOptions<Context> extends AgentToolOptions {
  /** Application context, passed to every call. */
  readonly context?: Context;
  /** Identity of the caller. Without it, scopes are not checked and every tool can be called. */
  readonly auth?: Auth;
}

/** The official SDK client (version 2), reduced to the methods that the conversion uses. */
export interface McpClientLike {
  listTools(params?: { cursor: string }): Promise<{
    readonly tools: readonly McpToolLike[];
    readonly nextCursor?: string | undefined;
  }>;
  callTool(
    params: { name: string; arguments: Record<string, unknown> },
    options?: { signal?: AbortSignal },
  ): Promise<unknown>;
}

/**
 * Converts each tool of a Tenon server to an agent tool. Tools that are added to the server later are not included.
 *
 * @example for (const tool of await fromMcpServer(server)) builder.registerTool(tool);
 */
export async function fromMcpServer<Context>(
  server: ServerLike<Context>,
  options: FromMcpOptions<Context> = {},
): Promise<readonly ToolDefinition[]> {
  const request = createRequester(server, options);
  const list = async (cursor: string | undefined) => {
    const { tools, nextCursor } = await request("tools/list", cursor === undefined ? {} : { cursor }, {});
    // Safe: both fields come from a Tenon server.
    return { tools: tools as readonly McpToolLike[], nextCursor: nextCursor as string | undefined };
  };
  const definitions = await collect(list);
  return definitions.map((definition) =>
    toAgentTool(
      definition,
      async (args, context) =>
        readResult(await request("tools/call", { name: definition.name, arguments: args }, context)),
      options,
    ),
  );
}

/**
 * Converts each tool that a connected SDK client lists to an agent tool.
 *
 * @example for (const tool of await fromMcpClient(client, { prefix: "files_" })) builder.registerTool(tool);
 */
export async function fromMcpClient(
  client: McpClientLike,
  options: AgentToolOptions = {},
): Promise<readonly ToolDefinition[]> {
  const definitions = await collect((cursor) =>
    cursor === undefined ? client.listTools() : client.listTools({ cursor }),
  );
  return definitions.map((definition) =>
    toAgentTool(
      definition,
      async (args, { signal }) => {
        const params = { name: definition.name, arguments: args };
        return readResult(await client.callTool(params, signal === undefined ? {} : { signal }));
      },
      options,
    ),
  );
}

const MAX_TOOLS = 1_000;
const MAX_PAGES = 100;

/**
 * Collects all pages of a tool list.
 *
 * @throws if the list exceeds the tool or page limit, because a server could send pages forever
 */
async function collect(
  list: (cursor: string | undefined) => ReturnType<McpClientLike["listTools"]>,
): Promise<readonly McpToolLike[]> {
  const all: McpToolLike[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { tools, nextCursor } = await list(cursor);
    all.push(...tools);
    if (all.length > MAX_TOOLS) break;
    if (nextCursor === undefined) return all;
    cursor = nextCursor;
  }
  throw new Error(`The MCP server lists too many tools (limit: ${MAX_TOOLS} tools, ${MAX_PAGES} pages).`);
}

type Request = (
  method: string,
  params: JsonObject,
  context: Pick<ToolInvokeContext, "signal" | "postMessage">,
) => Promise<JsonObject>;

/** Creates a function that sends requests to an in-process server without a transport. */
function createRequester<Context>(server: ServerLike<Context>, options: FromMcpOptions<Context>): Request {
  const built = toServer(server);
  const connection = new Connection({ pushes: false, era: "legacy", revision: LATEST_LEGACY });
  let lastId = 0;
  return async (method, params, { signal, postMessage }) => {
    signal?.throwIfAborted();
    const response = await built.handle(
      { jsonrpc: "2.0", id: ++lastId, method, params },
      options.context as Context, // Safe: `undefined` only if the server declares no context
      {
        connection,
        auth: options.auth,
        signal,
        notify: (notification) => forward(notification, postMessage),
      },
    );
    // Safe: the text comes from a Tenon server.
    const { result, error } = response.isEmpty() ? {} : (JSON.parse(response.toText()) as JsonRpcResponse);
    signal?.throwIfAborted();
    if (isJsonObject(result)) return result;
    throw new McpError("AGENT_EXECUTION_ERROR", error?.message ?? "The call was cancelled.");
  };
}

/** Forwards a tool's log messages to the user. */
function forward(
  { method, params }: JsonRpcNotification,
  postMessage: ToolInvokeContext["postMessage"],
): void {
  const data = method === "notifications/message" && isJsonObject(params) ? params["data"] : undefined;
  // Objects are forwarded as JSON text. Otherwise, a tool could forge the agent's own messages.
  if (typeof data === "string") postMessage?.(data);
  else if (isJsonObject(data)) postMessage?.(JSON.stringify(data));
}

function readResult(value: unknown): ToolResult {
  if (isToolResult(value)) return value;
  throw new McpError("AGENT_EXECUTION_ERROR", "The MCP server sent an invalid tool result.");
}
