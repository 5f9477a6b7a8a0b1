/**
 * @fileoverview Errors for tools, prompts, and resources that do not exist or are disabled, with the official SDK's
 * texts.
 * @module sdk/v2/server/missing
 */
import type { Auth } from "tenon";
import type { ErrorName } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { isUrl } from "@tenon/internal/security/is-url";
import type { Lookup } from "../../mcp-server/dialect.js";
import type { Failure, RequestScope } from "../../mcp-server/requests/request-scope.js";
import { ProtocolErrorCode } from "../errors.js";

/** Lookup of registrations that cannot be used. */
export interface Missing extends Lookup {
  /** Returns the pattern of a disabled template that matches a URI. */
  disabledTemplate(uri: string, auth: Auth | undefined): string | undefined;
}

/** Longest name or URI in an error message, in characters. */
const MAX_NAME = 256;

/** Returns the error for a name or URI that cannot be used, or `undefined` if the core's error is sent. */
export function describeMissing(
  scope: RequestScope,
  error: ErrorName,
  missing: Missing,
): Failure | undefined {
  const { method, params: given } = scope.message;
  const params: JsonObject = isJsonObject(given) ? given : {};
  const { name, uri, ref } = params;
  const auth = scope.exchange?.auth;
  if (method === "tools/call" && error === "UNKNOWN_TOOL" && typeof name === "string")
    return refuse(`Tool ${cut(name)} ${missing.isDisabled("tools", name, auth) ? "disabled" : "not found"}`);
  if (method === "prompts/get" && error === "INVALID_PARAMS" && typeof name === "string")
    return describePrompt(name, missing, auth);
  if (method === "resources/read" && error === "RESOURCE_NOT_FOUND" && typeof uri === "string")
    return describeResource(uri, missing, auth);
  if (method !== "completion/complete" || error !== "INVALID_PARAMS" || !isJsonObject(ref)) return undefined;
  if (ref["type"] === "ref/prompt" && typeof ref["name"] === "string")
    return describePrompt(ref["name"], missing, auth);
  return typeof ref["uri"] === "string"
    ? refuse(`Resource template ${cut(ref["uri"])} not found`)
    : undefined;
}

function describePrompt(name: string, missing: Missing, auth: Auth | undefined): Failure {
  const state = missing.isDisabled("prompts", name, auth) ? "disabled" : "not found";
  return refuse(`Prompt ${cut(name)} ${state}`);
}

function describeResource(uri: string, missing: Missing, auth: Auth | undefined): Failure {
  if (!isUrl(uri)) {
    return refuse(`Resource URI ${cut(uri)} is invalid`, { uri: cut(uri), reason: "invalid_uri" });
  }
  const { href } = new URL(uri);
  if (missing.isDisabled("resources", href, auth) || missing.isDisabled("resources", uri, auth))
    return refuse(`Resource ${cut(href)} disabled`);
  const template = missing.disabledTemplate(href, auth);
  return template === undefined
    ? refuse(`Resource not found: ${cut(uri)}`, { uri: cut(uri) })
    : refuse(`Resource template ${template} disabled`);
}

function refuse(message: string, data?: JsonObject): Failure {
  return { code: ProtocolErrorCode.InvalidParams, message, ...(data === undefined ? {} : { data }) };
}

/** Shortens a client's text, so that a long one is not sent back in full. */
function cut(text: string): string {
  return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text;
}
