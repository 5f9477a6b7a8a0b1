/**
 * @fileoverview Where the official SDK says it in other words, or as a result where we say it as an error: the answer of
 * the core, put its way.
 * @module app/mcp-server/answers
 */
import type { McpResponse } from "tenon";
import { resultResponse } from "tenon/host";
import { errorResult } from "tenon";
import { quoted } from "@tenon/internal/text";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { ResultEncoder } from "tenon/protocol";
import { INVALID_PARAMS, numbered } from "./errors.js";
import { failureResponse } from "./own-methods.js";
import type { RequestScope } from "./request-scope.js";

/** Whether something is registered, and hidden. */
export interface Lookup {
  hasTool(name: string): boolean;
  hasPrompt(name: string): boolean;
  hasResource(uri: string): boolean;
}

/** The answer as a client of the official SDK knows it. What is not written otherwise here stays as it is. */
export function inSdkWords(
  visit: RequestScope,
  response: McpResponse,
  encoderOf: () => ResultEncoder,
  lookup: Lookup,
): McpResponse {
  if (response.isEmpty()) return response;
  if (visit.failure !== undefined) return failureResponse(visit, visit.failure);
  // The stateless revision has its own rules for what is not found, and the core keeps them.
  if (response.error === undefined || visit.era === "modern") return response;
  const { id, method, params: given } = visit.message;
  const params = isJsonObject(given) ? given : {};
  const refuse = (text: string, code = INVALID_PARAMS) =>
    failureResponse(visit, { code, message: code === INVALID_PARAMS ? numbered(code, text) : text });
  if (method === "tools/call" && response.error === "UNKNOWN_TOOL") {
    const name = textOf(params["name"]);
    const text = `Tool ${name} ${lookup.hasTool(String(params["name"])) ? "disabled" : "not found"}`;
    return resultResponse(id, encoderOf().toolResult(errorResult(numbered(INVALID_PARAMS, text)), false));
  }
  if (method === "resources/read" && response.error === "RESOURCE_NOT_FOUND") {
    const uri = String(params["uri"]);
    if (!URL.canParse(uri)) return refuse("Invalid URL", -32603);
    const isHidden = lookup.hasResource(uri) || lookup.hasResource(new URL(uri).href);
    return refuse(`Resource ${quoted(new URL(uri).href)} ${isHidden ? "disabled" : "not found"}`);
  }
  if (method === "prompts/get" && response.error === "INVALID_PARAMS") {
    return withName(params["name"], (name) => refuse(`Prompt ${name} ${stateOf(name, lookup)}`)) ?? response;
  }
  if (
    method === "completion/complete" &&
    response.error === "INVALID_PARAMS" &&
    isJsonObject(params["ref"])
  ) {
    return refuseReference(params["ref"], refuse, lookup) ?? response;
  }
  if (response.error === "METHOD_NOT_FOUND") return refuse("Method not found", -32601);
  return response;
}

function refuseReference(
  ref: JsonObject,
  refuse: (text: string) => McpResponse,
  lookup: Lookup,
): McpResponse | undefined {
  return ref["type"] === "ref/prompt"
    ? withName(ref["name"], (name) => refuse(`Prompt ${name} ${stateOf(name, lookup)}`))
    : withName(ref["uri"], (uri) => refuse(`Resource template ${uri} not found`));
}

function withName(name: unknown, answer: (name: string) => McpResponse): McpResponse | undefined {
  return typeof name === "string" ? answer(quoted(name)) : undefined;
}

function stateOf(prompt: string, lookup: Lookup): string {
  return lookup.hasPrompt(prompt) ? "disabled" : "not found";
}

function textOf(name: unknown): string {
  return quoted(String(name));
}
