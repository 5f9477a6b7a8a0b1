/**
 * @fileoverview Errors for tools, prompts, and resources that do not exist or are disabled, with the official SDK's
 * texts.
 * @module sdk/v2/server/missing
 */
import type { ErrorName } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { Lookup } from "../../mcp-server/dialect.js";
import type { Failure, RequestScope } from "../../mcp-server/requests/request-scope.js";
import { ProtocolErrorCode } from "../errors.js";

/** Lookup of registrations that cannot be used. */
export interface Missing extends Lookup {
  /** Returns the pattern of a disabled template that matches a URI. */
  disabledTemplate(uri: string): string | undefined;
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
  if (method === "tools/call" && error === "UNKNOWN_TOOL" && typeof name === "string")
    return refuse(`Tool ${cut(name)} ${missing.hasTool(name) ? "disabled" : "not found"}`);
  if (method === "prompts/get" && error === "INVALID_PARAMS" && typeof name === "string")
    return describePrompt(name, missing);
  if (method === "resources/read" && error === "RESOURCE_NOT_FOUND" && typeof uri === "string")
    return describeResource(uri, missing);
  if (method !== "completion/complete" || error !== "INVALID_PARAMS" || !isJsonObject(ref)) return undefined;
  if (ref["type"] === "ref/prompt" && typeof ref["name"] === "string")
    return describePrompt(ref["name"], missing);
  return typeof ref["uri"] === "string"
    ? refuse(`Resource template ${cut(ref["uri"])} not found`)
    : undefined;
}

function describePrompt(name: string, missing: Missing): Failure {
  return refuse(`Prompt ${cut(name)} ${missing.hasPrompt(name) ? "disabled" : "not found"}`);
}

function describeResource(uri: string, missing: Missing): Failure {
  if (!URL.canParse(uri)) {
    return refuse(`Resource URI ${cut(uri)} is invalid`, { uri: cut(uri), reason: "invalid_uri" });
  }
  const { href } = new URL(uri);
  if (missing.hasResource(href) || missing.hasResource(uri)) return refuse(`Resource ${cut(href)} disabled`);
  const template = missing.disabledTemplate(href);
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
