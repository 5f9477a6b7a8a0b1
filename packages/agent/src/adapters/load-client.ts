/**
 * @fileoverview Loads the official client on demand, because it is an optional peer dependency.
 * @module agent/adapters/load-client
 */
import type * as client from "@modelcontextprotocol/client";

/** Parts of the official client that are used. */
export type ClientLibrary = Pick<typeof client, "Client" | "StreamableHTTPClientTransport">;

/** Loads the official client. @throws if it is not installed, with the command to install it */
export async function loadClient(
  load: () => Promise<ClientLibrary> = () => import("@modelcontextprotocol/client"),
): Promise<ClientLibrary> {
  try {
    return await load();
  } catch (cause) {
    throw new Error(
      'connectMcpServer needs the package "@modelcontextprotocol/client". Install it: npm install @modelcontextprotocol/client',
      { cause },
    );
  }
}
