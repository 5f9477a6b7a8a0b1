/**
 * @fileoverview Capabilities that a server declares and that requests to a client need, with the official SDK's texts.
 * @module sdk/v2/server/capabilities
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { ClientCapabilities } from "tenon/protocol";
import { SdkError, SdkErrorCode } from "../errors.js";

/** Merges capabilities. Members of one capability are merged too. */
export function mergeCapabilities(base: JsonObject, more: JsonObject): JsonObject {
  const added = Object.entries(more).filter(([, value]) => value !== undefined);
  const merged = added.map(([name, value]) => {
    const known = base[name];
    return [name, isJsonObject(known) && isJsonObject(value) ? { ...known, ...value } : value] as const;
  });
  return { ...base, ...Object.fromEntries(merged) };
}

/** Capability that a server must declare for a method, and the words that name it in an error. */
const NEEDED: Readonly<Record<string, readonly [capability: string, words: string]>> = {
  "completion/complete": ["completions", "completions"],
  "logging/setLevel": ["logging", "logging"],
  "prompts/get": ["prompts", "prompts"],
  "prompts/list": ["prompts", "prompts"],
  "resources/list": ["resources", "resources"],
  "resources/templates/list": ["resources", "resources"],
  "resources/read": ["resources", "resources"],
  "tools/call": ["tools", "tools"],
  "tools/list": ["tools", "tools"],
  "notifications/message": ["logging", "logging"],
  "notifications/resources/updated": ["resources", "notifying about resources"],
  "notifications/resources/list_changed": ["resources", "notifying about resources"],
  "notifications/tools/list_changed": ["tools", "notifying of tool list changes"],
  "notifications/prompts/list_changed": ["prompts", "notifying of prompt list changes"],
};

/** Returns true if a server's built-in handler for a method is available. Methods without a rule always are. */
export function isServed(method: string, capabilities: JsonObject): boolean {
  const rule = Object.hasOwn(NEEDED, method) ? NEEDED[method] : undefined;
  return rule === undefined || Boolean(capabilities[rule[0]]);
}

/** Asserts that the server declares the capability of a method. @throws {SdkError} if it does not */
export function assertDeclared(method: string, capabilities: JsonObject): void {
  if (isServed(method, capabilities)) return;
  const [, words] = NEEDED[method] ?? ["", ""];
  throw unsupported(`Server does not support ${words} (required for ${method})`);
}

/** Asserts that the client declares the capability of a request. Used with `enforceStrictCapabilities`. */
export function assertClientCapability(method: string, capabilities: ClientCapabilities | undefined): void {
  const rule = Object.hasOwn(CLIENT_NEEDED, method) ? CLIENT_NEEDED[method] : undefined;
  if (rule === undefined || Boolean(capabilities?.[rule[0] as keyof ClientCapabilities])) return;
  throw unsupported(`Client does not support ${rule[1]} (required for ${method})`);
}

const CLIENT_NEEDED: Readonly<Record<string, readonly [capability: string, words: string]>> = {
  "sampling/createMessage": ["sampling", "sampling"],
  "elicitation/create": ["elicitation", "elicitation"],
  "roots/list": ["roots", "listing roots"],
};

/** Asserts that the client supports an elicitation mode. @throws {SdkError} if it does not */
export function assertElicitation(mode: "form" | "url", capabilities: ClientCapabilities | undefined): void {
  const modes = capabilities?.elicitation;
  // Clients before modes existed declare an empty object, which means forms.
  const isImplied = mode === "form" && modes !== undefined && modes.url === undefined;
  if (modes?.[mode] === undefined && !isImplied)
    throw unsupported(`Client does not support ${mode} elicitation.`);
}

/** Creates the error for a missing capability. */
export function unsupported(message: string): SdkError {
  return new SdkError(SdkErrorCode.CapabilityNotSupported, message);
}
