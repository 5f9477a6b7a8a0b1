/**
 * @fileoverview What an application may hang on a server besides tools, resources and prompts.
 * @module app/mcp-server/hooks
 */
import type { JsonObject } from "@tenon/internal/json";
import type { McpExtra } from "./types.js";

/** A handler of the application's own, and the schema that reads its messages. */
export interface OwnHandler {
  readonly schema: unknown;
  readonly handler: (message: unknown, extra: McpExtra) => unknown;
}

/** Everything of that kind on one server. */
export interface Hooks {
  /** Capabilities that are declared whether or not anything is registered. */
  readonly capabilities: JsonObject;
  readonly requestHandlers: ReadonlyMap<string, OwnHandler>;
  readonly notificationHandlers: ReadonlyMap<string, OwnHandler>;
  readonly fallbackRequestHandler?: OwnHandler["handler"] | undefined;
  readonly fallbackNotificationHandler?: ((notification: unknown) => unknown) | undefined;
  readonly oninitialized?: (() => void) | undefined;
  readonly onerror?: ((error: Error) => void) | undefined;
}
