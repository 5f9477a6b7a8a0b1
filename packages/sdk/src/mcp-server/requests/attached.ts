/**
 * @fileoverview A client that the server can send to outside a request.
 * @module sdk/mcp-server/requests/attached
 */
import type { Exchange } from "tenon";
import type { Connection } from "tenon/host";

/** An attached connection, which the server can send to at any time. */
export interface Attached {
  readonly connection: Connection;
  readonly notify: NonNullable<Exchange["notify"]>;
}
