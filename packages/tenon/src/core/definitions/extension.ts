/**
 * @fileoverview Extensions, which add methods, middleware, and a capability to a server.
 * @module core/extension
 */
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { Era } from "../../protocol/index.js";
import type { Call } from "../call/call.js";
import type { Middleware } from "../call/middleware.js";
import { assertKnownOptions, type OptionNames } from "@tenon/internal/names/known-options";
import { assertDefinition, assertMiddleware, COMMON_ALIASES } from "./definition-checks.js";

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
  /** ID that is unique within the server, such as `io.modelcontextprotocol/tasks`. */
  readonly id: string;
  /** Value that the server declares under `capabilities.extensions[id]`. */
  readonly capability: JsonObject;
  /** Methods by name. A name must not match an MCP method or a different extension's method. */
  readonly methods: Readonly<Record<string, ExtensionMethod>>;
  /** Middleware around every operation. It runs outside the server's own middleware. */
  readonly middleware: readonly Middleware[];
}

/** Options for `extension`. */
export interface ExtensionOptions extends Pick<Extension, "id">, Partial<Omit<Extension, "id">> {}

/**
 * Defines an extension. Add it to a server with `.extension()`.
 *
 * @throws if the ID does not have the form `vendor.example/name`, or if an option is invalid
 * @example extension({ id: "com.example/ledger", methods: { "ledger/balance": { handler: () => ({ cents: 0 }) } } })
 */
export function extension(options: ExtensionOptions): Extension {
  if (!/^[A-Za-z0-9.-]+\/[A-Za-z0-9._-]+$/.test(options.id)) {
    throw new Error(`Extension "${options.id}": \`id\` must have the form "vendor.example/name".`);
  }
  const label = `Extension "${options.id}"`;
  assertKnownOptions(options, { label, names: EXTENSION_OPTIONS, aliases: { capabilities: "capability" } });
  assertMiddleware(label, options.middleware ?? []);
  for (const [name, method] of Object.entries(options.methods ?? {})) {
    const rule = { label: `${label}: method "${name}"`, names: METHOD_OPTIONS, aliases: COMMON_ALIASES };
    assertDefinition(method, rule);
  }
  return {
    id: options.id,
    capability: options.capability ?? {},
    methods: options.methods ?? {},
    middleware: options.middleware ?? [],
  };
}

const EXTENSION_OPTIONS: OptionNames<ExtensionOptions> = {
  id: true,
  capability: true,
  methods: true,
  middleware: true,
};

const METHOD_OPTIONS: OptionNames<ExtensionMethod> = { eras: true, handler: true };
