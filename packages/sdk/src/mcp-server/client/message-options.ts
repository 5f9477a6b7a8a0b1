/**
 * @fileoverview Options of the official SDK for messages to the client.
 * @module sdk/mcp-server/client/message-options
 */
import { defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { custom, flag, texts } from "@tenon/internal/options/option-rows";
import type { FormValidator } from "./client-answers.js";

/** Options for messages to the client. */
export const MESSAGE_OPTIONS = /* @__PURE__ */ defineOptions("messages", {
  /**
   * Rejects requests for which the client does not declare the matching capability.
   * @default false
   */
  enforceStrictCapabilities: flag(),
  /**
   * Methods of notifications that are sent once per tick, unless they have parameters.
   * @default none
   */
  debouncedNotificationMethods: texts(),
  /**
   * Validates the content of forms against the requested schema.
   * @default a built-in validator for the schemas that MCP allows in forms
   */
  jsonSchemaValidator: custom<FormValidator>(),
});

/** Options of the official SDK for messages to the client. */
export interface MessageOptions extends OptionsOf<typeof MESSAGE_OPTIONS> {}
