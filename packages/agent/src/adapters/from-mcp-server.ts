/**
 * @fileoverview Converts an MCP server's tools to agent tools. The server is a Tenon server in this process, or any
 * server that a client is connected to: Tenon's client, or that of the official SDK in version 1 or 2.
 * @module agent/adapters/from-mcp-server
 */
import { assertOptions, defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { custom } from "@tenon/internal/options/option-rows";
import type { Auth, ServerLike } from "tenon";
import type { Client } from "tenon/client";
import { Connection, fromSdkError, isSdkError, toServer } from "tenon/host";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { type JsonRpcNotification, type JsonRpcResponse, LATEST_LEGACY, McpError } from "tenon/protocol";
import type { ToolDefinition, ToolInvokeContext } from "../tools/define-tool.js";
import {
  AGENT_TOOL_ROWS,
  type AgentToolOptions,
  type CallMcpTool,
  FOREIGN_TOOL_ROWS,
  type McpToolLike,
  toAgentTool,
  toForeignTool,
} from "./agent-tool.js";
import { callRemoteTool, listRemoteTools } from "./mcp-calls.js";
import { collectTools, executionError, readResult, type ToolPage } from "./mcp-tools.js";

const CLIENT_OPTIONS = /* @__PURE__ */ defineOptions("fromMcpClient", FOREIGN_TOOL_ROWS);

const SERVER_OPTIONS = /* @__PURE__ */ defineOptions("fromMcpServer", {
  ...AGENT_TOOL_ROWS,
  /** Application context for every call. */
  context: custom<unknown>(),
  /** Identity of the caller. Without it, scopes are not checked and every tool can be called. */
  auth: custom<Auth>(),
});

/** Options for `fromMcpServer`. */
export interface FromMcpOptions<Context> extends OptionsOf<typeof SERVER_OPTIONS> {
  /** Application context, passed to every call. */
  readonly context?: Context;
}

/** Client of the official SDK, version 1 or 2, reduced to the methods that the conversion uses. */
export interface McpClientLike {
  listTools(params?: { cursor: string }): Promise<ToolPage>;
  // The parameters after the first differ: version 1 takes a schema and options, version 2 takes options.
  callTool(
    params: { name: string; arguments: Record<string, unknown> },
    ...rest: readonly never[]
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
  assertOptions(SERVER_OPTIONS, options);
  const request = createRequester(server, options);
  const list = async (cursor: string | undefined) => {
    const { tools, nextCursor } = await request("tools/list", cursor === undefined ? {} : { cursor }, {});
    // Safe: both fields come from a Tenon server.
    return { tools: tools as readonly McpToolLike[], nextCursor: nextCursor as string | undefined };
  };
  const definitions = await collectTools(list);
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
 * Converts each tool that a connected client lists to an agent tool. The client's owner opens and closes the connection.
 *
 * @example for (const tool of await fromMcpClient(client, { prefix: "files_" })) builder.registerTool(tool);
 * @throws {TypeError} if the value is not an MCP client
 */
export async function fromMcpClient(
  client: McpClientLike | Client,
  options: AgentToolOptions = {},
): Promise<readonly ToolDefinition[]> {
  assertClient(client);
  assertOptions(CLIENT_OPTIONS, options);
  if (isTenonClient(client)) {
    return (await listRemoteTools(client)).map((definition) =>
      toForeignTool(
        definition,
        (known) => (args, context) => callRemoteTool(client, { definition: known, args }, context),
        options,
      ),
    );
  }
  const definitions = await collectTools((cursor) =>
    cursor === undefined ? client.listTools() : client.listTools({ cursor }),
  );
  return definitions.map((definition) =>
    toForeignTool(definition, (known) => createCall(client, known), options),
  );
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

function assertClient(client: unknown): void {
  const { listTools, callTool } = Object(client) as Partial<Record<keyof McpClientLike, unknown>>;
  if (typeof listTools === "function" && typeof callTool === "function") return;
  throw new TypeError(
    "fromMcpClient: the client must have the methods `listTools` and `callTool`. Pass a connected client from " +
      "`createClient` of tenon/client, or a `Client` of the official SDK.",
  );
}

/** Narrows a client to Tenon's own, whose `callTool` takes the name and the arguments separately. */
function isTenonClient(client: McpClientLike | Client): client is Client {
  return "listAll" in client && "startTask" in client;
}

type SdkOptions = { readonly signal?: AbortSignal };

function createCall(client: McpClientLike, { name }: McpToolLike): CallMcpTool {
  // Version 1 declares `callTool(params, resultSchema = …, options)`, so only one parameter counts. It would take
  // options in the second place for a schema.
  const isVersion1 = client.callTool.length === 1;
  return async (args, { signal }) => {
    const options: SdkOptions = signal === undefined ? {} : { signal };
    const rest: readonly unknown[] = isVersion1 ? [undefined, options] : [options];
    try {
      // Safe: these are the parameters of the client's version.
      return readResult(
        await client.callTool({ name, arguments: { ...args } }, ...(rest as readonly never[])),
      );
    } catch (error) {
      if (!isSdkError(error)) throw error;
      throw executionError(fromSdkError(error).message, error);
    }
  };
}
