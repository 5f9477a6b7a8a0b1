/**
 * @fileoverview Loads the official SDK client on demand, because it is an optional peer dependency.
 * @module agent/adapters/load-client
 */
import type * as client from "@modelcontextprotocol/client";

/** The SDK client exports that the adapter uses. */
export type ClientLibrary = Pick<typeof client, "Client" | "StreamableHTTPClientTransport">;

/** Loads the official SDK client. @throws if it is not installed; the message contains the install command */
export async function loadClient(
  load: () => Promise<ClientLibrary> = () => import("@modelcontextprotocol/client"),
): Promise<ClientLibrary> {
  try {
    return await load();
  } catch (cause) {
    throw new Error(
      'connectMcpServer requires the package "@modelcontextprotocol/client". Install it: npm install @modelcontextprotocol/client',
      { cause },
    );
  }
}
