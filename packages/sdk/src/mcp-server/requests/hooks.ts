/**
 * @fileoverview Handlers that an application sets on a server, in addition to tools, resources, and prompts.
 * @module sdk/mcp-server/requests/hooks
 */
import type { JsonRpcResponse } from "tenon/protocol";
import type { JsonObject } from "@tenon/internal/json";
/** An application's handler and the schema that parses its messages. */
export interface OwnHandler {
  readonly schema: unknown;
  readonly handler: (message: unknown, extra: unknown) => unknown;
  /** True if the handler serves only the legacy revisions. */
  readonly isLegacy?: boolean;
}

/** Handlers that the application has set on a server. */
export interface Hooks {
  /** Capabilities to declare even if nothing is registered. */
  readonly capabilities: JsonObject;
  readonly requestHandlers: ReadonlyMap<string, OwnHandler>;
  readonly notificationHandlers: ReadonlyMap<string, OwnHandler>;
  readonly fallbackRequestHandler?: OwnHandler["handler"] | undefined;
  readonly fallbackNotificationHandler?: ((notification: unknown) => unknown) | undefined;
  readonly oninitialized?: (() => void) | undefined;
  /** Takes a response to a queued request. Returns false if the response belongs to another request. */
  takeResponse?(response: JsonRpcResponse): boolean;
  readonly onerror?: ((error: Error) => void) | undefined;
}
