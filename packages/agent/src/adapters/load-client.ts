/**
 * @fileoverview The official client, loaded when a server at an address is wanted.
 * @module agent/adapters/load-client
 */
import type * as client from "@modelcontextprotocol/client";

/** What is used of the official client. */
export type ClientLibrary = Pick<typeof client, "Client" | "StreamableHTTPClientTransport">;

/** Loads the official client, an optional peer. @throws saying how to install it */
export async function loadClient(
  load: () => Promise<ClientLibrary> = () => import("@modelcontextprotocol/client"),
): Promise<ClientLibrary> {
  try {
    return await load();
  } catch (cause) {
    throw new Error(
      "Tools of other servers need the package @modelcontextprotocol/client: npm install @modelcontextprotocol/client",
      { cause },
    );
  }
}
