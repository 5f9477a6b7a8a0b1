/**
 * @fileoverview The tools of a server of MCP at an address, through the official client.
 * @module agent/adapters/connect-mcp-server
 */
import type { ToolDefinition } from "../tools/define-tool.js";
import type { AgentToolOptions } from "./agent-tool.js";
import { fromMcpClient } from "./from-mcp-server.js";
import { loadClient } from "./load-client.js";

/** Where a server is, and how to talk to it. */
export interface ConnectMcpOptions extends AgentToolOptions {
  /** Its address, such as `https://tools.example/mcp`. */
  readonly url: string | URL;
  /** Sent as `Authorization: Bearer <token>`. */
  readonly token?: string;
}

/** The tools of a server, for as long as the connection lasts. */
export interface ConnectedTools {
  readonly tools: readonly ToolDefinition[];
  close(): Promise<void>;
}

/**
 * Connects to a server and gives its tools as tools of an agent.
 *
 * @throws where \@modelcontextprotocol/client is not installed, or the server cannot be reached
 */
export async function connectMcpServer(options: ConnectMcpOptions): Promise<ConnectedTools> {
  const { url, token } = options;
  const { Client, StreamableHTTPClientTransport } = await loadClient();
  const connected = new Client({ name: "tenon-agent", version: "1.0.0" });
  const authProvider = token === undefined ? undefined : { token: async () => token };
  await connected.connect(
    new StreamableHTTPClientTransport(new URL(url), authProvider === undefined ? {} : { authProvider }),
  );
  try {
    const tools = await fromMcpClient(connected, options);
    return { tools, close: () => connected.close() };
  } catch (error) {
    await connected.close();
    throw error;
  }
}
