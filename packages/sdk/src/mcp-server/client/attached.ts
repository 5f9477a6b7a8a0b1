/**
 * @fileoverview Connections over which the server can send messages outside a request.
 * @module sdk/mcp-server/client/attached
 */
import type { Exchange } from "tenon";
import type { Connection } from "tenon/host";

/** An attached connection. The server can send messages over it at any time. */
export interface Attached {
  readonly connection: Connection;
  readonly notify: NonNullable<Exchange["notify"]>;
}
