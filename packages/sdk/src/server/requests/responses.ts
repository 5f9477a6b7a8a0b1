/**
 * @fileoverview Converts the core's replies to the official SDK's replies. Texts differ, and some errors become tool
 * results.
 * @module sdk/server/requests/responses
 */
import { errorResult, type Exchange, type McpResponse } from "tenon";
import { isAllowed, resultResponse } from "tenon/host";
import { type ErrorName, projectDescribed, TRAITS } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { isUrl } from "@tenon/internal/security/is-url";
import { quoted } from "@tenon/internal/text";
import type { McpExtra } from "../../types.js";
import type { Conversion, Lister, Registrations } from "../dialect.js";
import { INTERNAL_ERROR, INVALID_PARAMS, numbered } from "./errors.js";
import { failureResponse } from "./own-methods.js";
import type { Request, RequestScope } from "./request-scope.js";

const METHOD_NOT_FOUND = -32601;

/** Converts the core's reply to the reply of version 1. Most replies are identical. */
export function toSdkResponse(
  scope: RequestScope,
  response: McpResponse,
  { encoderOf, registrations }: Conversion,
): McpResponse {
  if (response.isEmpty()) return response;
  if (scope.failure !== undefined) return failureResponse(scope, scope.failure);
  // The core already implements the stateless revision's own rules for unknown names.
  if (scope.era === "modern") return response;
  const { id, method, params } = scope.message;
  const refuse = (text: string, code = INVALID_PARAMS) =>
    failureResponse(scope, { code, message: code === INVALID_PARAMS ? numbered(code, text) : text });
  if (method === "completion/complete" && registrations.canComplete?.() === false) {
    return refuse("Method not found", METHOD_NOT_FOUND);
  }
  if (response.error === undefined) return response;
  if (method === "resources/read" && response.error === "RESOURCE_NOT_FOUND") {
    const uri = String(params?.["uri"]);
    if (!isUrl(uri)) return refuse("Invalid URL", INTERNAL_ERROR);
    const { href } = new URL(uri);
    const isDisabled = (key: string) => registrations.isDisabled("resources", key, scope.exchange?.auth);
    return refuse(
      `Resource ${quoted(href)} ${isDisabled(uri) || isDisabled(href) ? "disabled" : "not found"}`,
    );
  }
  if (response.error === "METHOD_NOT_FOUND") return refuse("Method not found", METHOD_NOT_FOUND);
  const text = describeMissing(scope, response.error, { registrations, cut: quoted });
  if (text === undefined) return response;
  if (method !== "tools/call") return refuse(text);
  return resultResponse(id, encoderOf().toolResult(errorResult(numbered(INVALID_PARAMS, text)), false));
}

/**
 * Describes a tool or prompt that does not exist or is disabled. Returns `undefined` for other errors.
 *
 * @param options.cut shortens a client's text, so that a long one is not sent back in full
 */
export function describeMissing(
  { message, exchange }: RequestScope,
  error: ErrorName,
  { registrations, cut }: Pick<Conversion, "registrations"> & { readonly cut: (text: string) => string },
): string | undefined {
  const { method, params } = message;
  const { name, ref }: JsonObject = isJsonObject(params) ? params : {};
  const stateOf = (kind: "tools" | "prompts", key: string) =>
    registrations.isDisabled(kind, key, exchange?.auth) ? "disabled" : "not found";
  const describePrompt = (key: unknown) =>
    typeof key === "string" ? `Prompt ${cut(key)} ${stateOf("prompts", key)}` : undefined;
  if (method === "tools/call" && error === "UNKNOWN_TOOL" && typeof name === "string")
    return `Tool ${cut(name)} ${stateOf("tools", name)}`;
  if (error !== "INVALID_PARAMS") return undefined;
  if (method === "prompts/get") return describePrompt(name);
  if (method !== "completion/complete" || !isJsonObject(ref)) return undefined;
  if (ref["type"] === "ref/prompt") return describePrompt(ref["name"]);
  return typeof ref["uri"] === "string" ? `Resource template ${cut(ref["uri"])} not found` : undefined;
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

/** Runs the list callbacks of templates that the caller may use, and returns the response with all resources. */
export async function listAll(
  scope: RequestScope,
  result: JsonObject,
  { listers, extra }: { readonly listers: readonly Lister[]; readonly extra: McpExtra },
): Promise<McpResponse> {
  const traits = TRAITS[scope.caller.revision];
  const resources = [...(result["resources"] as readonly JsonObject[])]; // Safe: the core creates this result
  scope.isScopedList ||= listers.some(({ scopes }) => scopes.length > 0);
  for (const lister of listers) {
    if (!isAllowed(lister, scope.exchange?.auth)) continue;
    const { list, metadata } = lister;
    const listed = await list(extra);
    for (const resource of listed.resources) {
      resources.push(projectDescribed({ ...metadata, ...resource }, traits));
    }
  }
  scope.isOver = true;
  // A list callback may return a different list for each client, so shared caches must not store the list.
  const cache = traits.cacheHints ? { ttlMs: 0, cacheScope: "private" } : {};
  return resultResponse(scope.message.id, JSON.stringify({ ...result, resources, ...cache }));
}

/**
 * Normalizes the URI in `resources/read`, unless that exact URI is registered. In the stateless revision, the URI stays
 * unchanged, because a header repeats it.
 */
export function withPlainUri(
  message: Request,
  exchange: Exchange | undefined,
  registrations: Registrations,
): Request {
  const { method, params } = message;
  if (method !== "resources/read" || exchange?.connection.era !== "legacy") return message;
  const uri = params?.["uri"];
  if (typeof uri !== "string" || registrations.hasResource(uri) || !isUrl(uri)) return message;
  return { ...message, params: { ...params, uri: new URL(uri).href } };
}
