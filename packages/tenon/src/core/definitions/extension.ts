/**
 * @fileoverview Extensions, which add methods, middleware, and a capability to a server.
 * @module tenon/core/definitions/extension
 */
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { Era } from "../../protocol/index.js";
import type { Call } from "../call/call.js";
import type { Middleware } from "../call/middleware.js";
import {
  assertOptions,
  defineOptions,
  type OptionsOf,
  type ParsedOptions,
  parseOptions,
} from "@tenon/internal/options/define-options";
import { callback, custom, text } from "@tenon/internal/options/option-rows";
import { assertMiddleware, DEFINITION, HANDLER_ALIASES } from "./definition-checks.js";

const METHOD_OPTIONS = /* @__PURE__ */ defineOptions(
  "method",
  {
    /**
     * Eras in which clients can call the method.
     * @default ["modern"]
     */
    eras: custom<readonly Era[]>(),
    /** Handles the request. A thrown `McpError` becomes a JSON-RPC error; any other error becomes an internal error. */
    handler: callback<(params: JsonObject, call: Call) => MaybePromise<JsonObject>>({
      required: true,
      aliases: HANDLER_ALIASES,
    }),
  },
  DEFINITION,
);

/** Extension method. Its result may set a `resultType`. */
export interface ExtensionMethod extends OptionsOf<typeof METHOD_OPTIONS> {}

const EXTENSION_OPTIONS = /* @__PURE__ */ defineOptions("extension", {
  /** ID that is unique within the server, such as `io.modelcontextprotocol/tasks`. */
  id: text({
    required: true,
    pattern: /^[A-Za-z0-9.-]+\/[A-Za-z0-9._-]+$/,
    expected: 'an ID of the form "vendor.example/name"',
  }),
  /** Value that the server declares under `capabilities.extensions[id]`. */
  capability: custom<JsonObject>({ default: {}, aliases: ["capabilities"] }),
  /** Methods by name. A name must not match an MCP method or a different extension's method. */
  methods: custom<Readonly<Record<string, ExtensionMethod>>>({ default: {} }),
  /** Middleware around every operation. It runs outside the server's own middleware. */
  middleware: custom<readonly Middleware[]>({ default: [] }),
});

/** Options for `extension`. */
export interface ExtensionOptions extends OptionsOf<typeof EXTENSION_OPTIONS> {}

/** Extension definition, as returned by `extension()`. */
export interface Extension extends ParsedOptions<typeof EXTENSION_OPTIONS> {}

/**
 * Defines an extension. Add it to a server with `.extension()`.
 *
 * @throws if the ID does not have the form `vendor.example/name`, or if an option is invalid
 * @example extension({ id: "com.example/ledger", methods: { "ledger/balance": { handler: () => ({ cents: 0 }) } } })
 */
export function extension(options: ExtensionOptions): Extension {
  const label = `Extension "${options.id}"`;
  const parsed = parseOptions(EXTENSION_OPTIONS, options, label);
  assertMiddleware(label, parsed.middleware);
  for (const [name, method] of Object.entries(parsed.methods)) {
    assertOptions(METHOD_OPTIONS, method, `${label}: method "${name}"`);
  }
  return parsed;
}
