/**
 * @fileoverview Connects to a remote MCP server with the official SDK client.
 * @module agent/adapters/connect-mcp-server
 */
import type { ToolDefinition } from "../tools/define-tool.js";
import type { AgentToolOptions } from "./agent-tool.js";
import { fromMcpClient } from "./from-mcp-server.js";
import { loadClient } from "./load-client.js";

/** Options for `connectMcpServer`. */
export interface ConnectMcpOptions extends AgentToolOptions {
  /** Server URL, such as `https://tools.example/mcp`. */
  readonly url: string | URL;
  /** Bearer token, sent as `Authorization: Bearer <token>`. */
  readonly token?: string;
}

/** Tools from a connected server. Calls fail after `close`. */
export interface ConnectedTools {
  readonly tools: readonly ToolDefinition[];
  /** Closes the connection to the server. */
  close(): Promise<void>;
}

/**
 * Connects to an MCP server and returns its tools as agent tools.
 *
 * @throws if \@modelcontextprotocol/client is not installed, or the connection fails
 */
export async function connectMcpServer(options: ConnectMcpOptions): Promise<ConnectedTools> {
  const { url, token } = options;
  const { Client, StreamableHTTPClientTransport } = await loadClient();
  const connected = new Client({ name: "tenon-agent", version: "1.0.0" });
  const authProvider = token === undefined ? undefined : { token: async () => token };
  // Following a redirect could send the token, or requests to this machine's network, to a URL that nobody configured.
  const requestInit = { redirect: "manual" } as const;
  const transportOptions = authProvider === undefined ? { requestInit } : { requestInit, authProvider };
  await connected.connect(new StreamableHTTPClientTransport(new URL(url), transportOptions));
  try {
    const tools = await fromMcpClient(connected, options);
    return { tools, close: () => connected.close() };
  } catch (error) {
    await connected.close();
    throw error;
  }
}
