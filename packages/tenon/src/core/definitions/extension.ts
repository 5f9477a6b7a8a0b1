/**
 * @fileoverview Extensions, which add methods, middleware, and a capability to a server.
 * @module core/extension
 */
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { Era } from "../../protocol/index.js";
import type { Call } from "../call/call.js";
import type { Middleware } from "../call/middleware.js";

/** Extension method. Its result may set a `resultType`. */
export interface ExtensionMethod {
  /**
   * Eras in which clients can call the method.
   * @default ["modern"]
   */
  readonly eras?: readonly Era[];
  /** Handles the request. A thrown `McpError` becomes a JSON-RPC error; any other error becomes an internal error. */
  readonly handler: (params: JsonObject, call: Call) => MaybePromise<JsonObject>;
}

/** Extension definition, as returned by `extension()`. */
export interface Extension {
  /** Id that is unique within the server, such as `io.modelcontextprotocol/tasks`. */
  readonly id: string;
  /** Value that the server declares under `capabilities.extensions[id]`. */
  readonly capability: JsonObject;
  /** Methods by name. A name must not collide with an MCP method or another extension's method. */
  readonly methods: Readonly<Record<string, ExtensionMethod>>;
  /** Middleware around every operation. It runs outside the server's own middleware. */
  readonly middleware: readonly Middleware[];
}

/**
 * Defines an extension. Add it to a server with `.extension()`.
 *
 * @throws if the id does not have the form `vendor.example/name`
 * @example extension({ id: "com.example/ledger", methods: { "ledger/balance": { handler: () => ({ cents: 0 }) } } })
 */
export function extension(options: {
  readonly id: string;
  readonly capability?: JsonObject;
  readonly methods?: Readonly<Record<string, ExtensionMethod>>;
  readonly middleware?: readonly Middleware[];
}): Extension {
  if (!/^[A-Za-z0-9.-]+\/[A-Za-z0-9._-]+$/.test(options.id)) {
    throw new Error(`Extension "${options.id}": \`id\` must have the form "vendor.example/name".`);
  }
  return {
    id: options.id,
    capability: options.capability ?? {},
    methods: options.methods ?? {},
    middleware: options.middleware ?? [],
  };
}
