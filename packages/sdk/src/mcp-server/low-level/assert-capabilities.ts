/**
 * @fileoverview Asserts that a low-level server declares the capabilities that its handlers and notifications need, with
 * the official SDK's texts.
 * @module sdk/mcp-server/low-level/assert-capabilities
 */
import type { ClientCapabilities } from "tenon/protocol";
import type { JsonObject } from "@tenon/internal/json";

/** Asserts that a server declares the capability for a request handler. @throws if it does not */
export function assertHandlerCapability(method: string, declared: JsonObject): void {
  const [capability, noun] = HANDLERS[method] ?? [];
  if (capability === undefined || declared[capability]) return;
  throw new Error(`Server does not support ${noun ?? capability} (required for ${method})`);
}

/** Asserts that the server and the client declare the capabilities for a notification. @throws if they do not */
export function assertNotificationCapability(
  method: string,
  declared: JsonObject,
  client: ClientCapabilities | undefined,
): void {
  const [capability, verb] = NOTIFICATIONS[method] ?? [];
  if (capability !== undefined && !declared[capability]) {
    throw new Error(`Server does not support ${verb} (required for ${method})`);
  }
  if (method === "notifications/elicitation/complete" && client?.elicitation?.url === undefined) {
    throw new Error(`Client does not support URL elicitation (required for ${method})`);
  }
}

type Rule = readonly [capability: string, text?: string];

const HANDLERS: Readonly<Record<string, Rule>> = {
  "completion/complete": ["completions"],
  "logging/setLevel": ["logging"],
  "prompts/get": ["prompts"],
  "prompts/list": ["prompts"],
  "resources/list": ["resources"],
  "resources/templates/list": ["resources"],
  "resources/read": ["resources"],
  "tools/call": ["tools"],
  "tools/list": ["tools"],
  "tasks/get": ["tasks", "tasks capability"],
  "tasks/list": ["tasks", "tasks capability"],
  "tasks/result": ["tasks", "tasks capability"],
  "tasks/cancel": ["tasks", "tasks capability"],
};

const NOTIFICATIONS: Readonly<Record<string, Rule>> = {
  "notifications/message": ["logging", "logging"],
  "notifications/resources/updated": ["resources", "notifying about resources"],
  "notifications/resources/list_changed": ["resources", "notifying about resources"],
  "notifications/tools/list_changed": ["tools", "notifying of tool list changes"],
  "notifications/prompts/list_changed": ["prompts", "notifying of prompt list changes"],
};
