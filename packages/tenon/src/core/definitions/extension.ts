/**
 * @fileoverview The one way to add methods to a server: an extension declares itself, its methods, and middleware.
 * @module core/extension
 */
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { Era } from "../../protocol/index.js";
import type { Call } from "../call/call.js";
import type { Middleware } from "../call/middleware.js";

/** A method of an extension; its result may name a `resultType` of its own. */
export interface ExtensionMethod {
  /**
   * The eras that have it.
   * @default ["modern"]
   */
  readonly eras?: readonly Era[];
  /** An `McpError` becomes a JSON-RPC error; anything else that is thrown an internal one. */
  readonly handler: (params: JsonObject, call: Call) => MaybePromise<JsonObject>;
}

/** What an extension adds. */
export interface Extension {
  /** Such as `io.modelcontextprotocol/tasks`. */
  readonly id: string;
  /** What the server declares under `capabilities.extensions`. */
  readonly capability: JsonObject;
  readonly methods: Readonly<Record<string, ExtensionMethod>>;
  /** Runs around every operation, outside the server's own middleware. */
  readonly middleware: readonly Middleware[];
}

/**
 * Describes an extension.
 *
 * @example extension({ id: "com.example/ledger", methods: { "ledger/balance": { handler: () => ({ cents: 0 }) } } })
 */
export function extension(options: {
  readonly id: string;
  readonly capability?: JsonObject;
  readonly methods?: Readonly<Record<string, ExtensionMethod>>;
  readonly middleware?: readonly Middleware[];
}): Extension {
  if (!/^[A-Za-z0-9.-]+\/[A-Za-z0-9._-]+$/.test(options.id)) {
    throw new Error(`Extension id "${options.id}" must have the form "vendor.example/name"`);
  }
  return {
    id: options.id,
    capability: options.capability ?? {},
    methods: options.methods ?? {},
    middleware: options.middleware ?? [],
  };
}
