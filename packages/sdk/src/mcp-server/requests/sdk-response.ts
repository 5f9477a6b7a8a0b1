/**
 * @fileoverview Converts the core's replies to the official SDK's replies. Texts differ, and some errors become tool
 * results.
 * @module sdk/mcp-server/requests/sdk-response
 */
import { errorResult, type McpResponse } from "tenon";
import { resultResponse } from "tenon/host";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { quoted } from "@tenon/internal/text";
import { isUrl } from "@tenon/internal/security/is-url";
import type { Conversion, Lookup } from "../dialect.js";
import { INVALID_PARAMS, numbered } from "./errors.js";
import { failureResponse } from "./own-methods.js";
import type { RequestScope } from "./request-scope.js";

const METHOD_NOT_FOUND = -32601;

/** Converts the core's reply to the official SDK's reply. Most replies are identical. */
export function toSdkResponse(
  scope: RequestScope,
  response: McpResponse,
  { encoderOf, lookup }: Conversion,
): McpResponse {
  if (response.isEmpty()) return response;
  if (scope.failure !== undefined) return failureResponse(scope, scope.failure);
  // The core already implements the stateless revision's own rules for unknown names.
  if (scope.era === "modern") return response;
  const { id, method, params: given } = scope.message;
  const params = isJsonObject(given) ? given : {};
  const isDisabled: DisabledCheck = (kind, key) => lookup.isDisabled(kind, key, scope.exchange?.auth);
  const refuse = (text: string, code = INVALID_PARAMS) =>
    failureResponse(scope, { code, message: code === INVALID_PARAMS ? numbered(code, text) : text });
  if (method === "completion/complete" && lookup.canComplete?.() === false) {
    return refuse("Method not found", METHOD_NOT_FOUND);
  }
  if (response.error === undefined) return response;
  if (method === "tools/call" && response.error === "UNKNOWN_TOOL") {
    const name = String(params["name"]);
    const text = `Tool ${quoted(name)} ${isDisabled("tools", name) ? "disabled" : "not found"}`;
    return resultResponse(id, encoderOf().toolResult(errorResult(numbered(INVALID_PARAMS, text)), false));
  }
  if (method === "resources/read" && response.error === "RESOURCE_NOT_FOUND") {
    const uri = String(params["uri"]);
    if (!isUrl(uri)) return refuse("Invalid URL", -32603);
    const { href } = new URL(uri);
    const state = isDisabled("resources", uri) || isDisabled("resources", href) ? "disabled" : "not found";
    return refuse(`Resource ${quoted(href)} ${state}`);
  }
  if (method === "prompts/get" && response.error === "INVALID_PARAMS") {
    const text = describeMissingPrompt(params["name"], isDisabled);
    return text === undefined ? response : refuse(text);
  }
  if (method === "completion/complete" && response.error === "INVALID_PARAMS") {
    const text = describeMissingReference(params["ref"], isDisabled);
    return text === undefined ? response : refuse(text);
  }
  if (response.error === "METHOD_NOT_FOUND") return refuse("Method not found", METHOD_NOT_FOUND);
  return response;
}

/** Returns true for a disabled registration that the caller could use otherwise. */
type DisabledCheck = (kind: Parameters<Lookup["isDisabled"]>[0], key: string) => boolean;

function describeMissingReference(ref: unknown, isDisabled: DisabledCheck): string | undefined {
  if (!isJsonObject(ref)) return undefined;
  const { type, name, uri } = ref;
  if (type === "ref/prompt") return describeMissingPrompt(name, isDisabled);
  return typeof uri === "string" ? `Resource template ${quoted(uri)} not found` : undefined;
}

function describeMissingPrompt(name: unknown, isDisabled: DisabledCheck): string | undefined {
  if (typeof name !== "string") return undefined;
  return `Prompt ${quoted(name)} ${isDisabled("prompts", name) ? "disabled" : "not found"}`;
}

/** Replaces the core's capabilities in an `initialize` or `server/discover` reply. Other replies are not changed. */
export function withCapabilities(
  scope: RequestScope,
  response: McpResponse,
  replace: (core: JsonObject) => JsonObject,
): McpResponse {
  const { id, method } = scope.message;
  if (method !== "initialize" && method !== "server/discover") return response;
  const { capabilities: core, ...result } = resultOf(response);
  const pushes = scope.exchange?.connection.pushes !== false;
  const entries = Object.entries(replace(isJsonObject(core) ? core : {}))
    // The stateless revision does not have these tasks.
    .filter(([name]) => name !== "tasks" || scope.era === "legacy")
    .map(([name, value]) => [name, pushes || !isJsonObject(value) ? value : withoutPushes(value)] as const);
  return resultResponse(id, JSON.stringify({ ...result, capabilities: Object.fromEntries(entries) }));
}

/** Returns capabilities with the extensions of the application and of the core, which take precedence. */
export function withExtensions(capabilities: JsonObject, declared: JsonObject, core: JsonObject): JsonObject {
  if (core["extensions"] === undefined) return capabilities;
  const own = isJsonObject(declared["extensions"]) ? declared["extensions"] : {};
  return { ...capabilities, extensions: { ...own, ...core["extensions"] } };
}

/** Removes members for notifications, which a stateless endpoint cannot send. */
function withoutPushes({ listChanged: _, subscribe: __, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** Returns a response's result, or an empty object for an error or an empty response. */
export function resultOf(response: McpResponse): JsonObject {
  const reply: unknown = response.isEmpty() ? undefined : JSON.parse(response.toText());
  const result = isJsonObject(reply) ? reply["result"] : undefined;
  return isJsonObject(result) ? result : {};
}
