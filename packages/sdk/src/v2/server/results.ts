/**
 * @fileoverview Checks and completes the results of callbacks, and of the application's own request handlers.
 * @module sdk/v2/server/results
 */
import type { Auth, McpResponse } from "tenon";
import { resultResponse } from "tenon/host";
import { LATEST_LEGACY, type McpToolDefinition, projectTool, TRAITS } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { isUrl } from "@tenon/internal/security/is-url";
import { toFailure } from "../../server/requests/errors.js";
import { hasObjectOutput, isCallResult, withContent } from "../../server/requests/handlers.js";
import type { Registrations } from "../../server/dialect.js";
import type { Failure, RequestScope } from "../../server/requests/request-scope.js";
import { ProtocolError, ProtocolErrorCode } from "../errors.js";
import { isInputRequiredResult } from "../input/input-required.js";
import type { CacheableMethod, CacheHint } from "../types.js";

/** Checks and completes a callback's result. */
export function finish(scope: RequestScope, result: unknown, hints: CacheHints): unknown {
  if (!isJsonObject(result)) return result;
  const { method } = scope.message;
  if (method === "tools/call") {
    if (result["content"] === undefined && OTHER_RESULTS.some((key) => key in result))
      return rejectResult(scope);
    // The application's own handler runs without a call, and completes its results itself.
    return scope.call === undefined ? result : withTextFallback(result);
  }
  if (method === "resources/read" && scope.era === "modern" && Array.isArray(result["contents"])) {
    scope.reply = withCache(result, [scope.cacheHint, hints["resources/read"]]);
  }
  return result;
}

/** Members of results that are not tool results. A tool result with one of them needs its own content. */
const OTHER_RESULTS: readonly string[] = ["task", "inputRequests", "requestState"];

/** Rejects a result with a JSON-RPC error, even from a tool. */
function rejectResult(scope: RequestScope): never {
  const error = new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    "Invalid tools/call result: a callback must return an object with content blocks",
  );
  scope.failure = toFailure(error, true);
  throw error;
}

/** Checks and completes the result of an application's own request handler. */
export function finishOwn(scope: RequestScope, result: unknown, hints: CacheHints): unknown {
  const { method } = scope.message;
  const isLegacy = scope.era === "legacy";
  if (isInputRequiredResult(result)) return result;
  if (method === "tools/call") {
    const whole = withContent(result);
    return isCallResult(whole) && (!isLegacy || hasObjectOutput(whole)) ? whole : rejectResult(scope);
  }
  if (!isJsonObject(result)) return result;
  const listed = method === "tools/list" ? { ...result, ...projectTools(scope, result) } : result;
  return !isLegacy && isCacheable(method) ? withCache(listed, [hints[method]]) : listed;
}

/** Adapts listed tools to the client's era, as the official SDK does: output schemas, and members for tasks. */
function projectTools({ era, caller }: RequestScope, { tools }: JsonObject): JsonObject {
  if (!Array.isArray(tools)) return {};
  const traits = TRAITS[era === "legacy" ? LATEST_LEGACY : caller.revision];
  const isTool = (tool: unknown): tool is McpToolDefinition =>
    isJsonObject(tool) && isJsonObject(tool["outputSchema"] ?? {});
  return { tools: tools.map((tool: unknown) => (isTool(tool) ? projectTool(tool, traits) : tool)) };
}

/** Adds the JSON text of structured content that is not an object, for clients that only read text. */
export function withTextFallback(result: JsonObject): JsonObject {
  const { structuredContent: structured, content } = result;
  if (structured === undefined || isJsonObject(structured)) return result;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  if (blocks.some((block) => isJsonObject(block) && block["type"] === "text")) return result;
  return { ...result, content: [...blocks, { type: "text", text: JSON.stringify(structured) }] };
}

/** Cache hints by method. */
export type CacheHints = Partial<Record<CacheableMethod, CacheHint>>;

/** Asserts that a hint is valid. @throws {RangeError} with the place of the hint if it is not */
export function assertCacheHint(hint: CacheHint, place: string): void {
  const { ttlMs, cacheScope } = hint;
  if (ttlMs !== undefined && !isLifetime(ttlMs)) {
    throw new RangeError(
      `Invalid cache hint for ${place}: ttlMs must be a non-negative safe integer (got ${String(ttlMs)})`,
    );
  }
  if (cacheScope !== undefined && !isScope(cacheScope)) {
    throw new RangeError(
      `Invalid cache hint for ${place}: cacheScope must be 'public' or 'private' (got ${String(cacheScope)})`,
    );
  }
}

const METHODS: readonly string[] = [
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "server/discover",
] satisfies readonly CacheableMethod[];

/** Returns true if results of the method have cache hints. */
export function isCacheable(method: string): method is CacheableMethod {
  return METHODS.includes(method);
}

/** Adds cache hints to a result. Valid members of the result take precedence, then hints in the given order. */
export function withCache(result: JsonObject, hints: readonly (CacheHint | undefined)[]): JsonObject {
  return { ...result, ...cacheOf([toHint(result), ...hints]) };
}

/** Returns the cache members of a result: the first valid value of each, or else the strictest default. */
function cacheOf(hints: readonly (CacheHint | undefined)[]): Required<CacheHint> {
  const ttlMs = hints.map((hint) => hint?.ttlMs).find(isLifetime);
  const cacheScope = hints.map((hint) => hint?.cacheScope).find(isScope);
  return { ttlMs: ttlMs ?? 0, cacheScope: cacheScope ?? "private" };
}

/**
 * Replaces the cache members of one of the core's own results, whose last members they are. The text is not parsed,
 * because lists can be large.
 */
export function replaceCache(response: McpResponse, hint: CacheHint | undefined): McpResponse {
  const { id } = response;
  const text = response.toText();
  const cut = text.lastIndexOf(MARK);
  if (id === null || cut === -1) return response;
  const start = text.indexOf(RESULT) + RESULT.length;
  const end = JSON.stringify(cacheOf([hint])).slice(1);
  return resultResponse(id, `${text.slice(start, cut)},${end}`);
}

/** Returns true if one of the core's own lists is private, because it depends on the caller's scopes. */
export function isPrivateList(response: McpResponse): boolean {
  const text = response.toText();
  const cut = text.lastIndexOf(MARK);
  return cut !== -1 && text.includes('"cacheScope":"private"', cut);
}

const RESULT = '"result":';
const MARK = ',"ttlMs":';

function toHint({ ttlMs, cacheScope }: JsonObject): CacheHint {
  return { ...(isLifetime(ttlMs) ? { ttlMs } : {}), ...(isScope(cacheScope) ? { cacheScope } : {}) };
}

function isLifetime(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isScope(value: unknown): value is "public" | "private" {
  return value === "public" || value === "private";
}

/** Describes a resource that does not exist or is disabled. */
export function describeResource(uri: string, registrations: Registrations, auth: Auth | undefined): Failure {
  if (!isUrl(uri)) {
    return refuse(`Resource URI ${cut(uri)} is invalid`, { uri: cut(uri), reason: "invalid_uri" });
  }
  const { href } = new URL(uri);
  if (registrations.isDisabled("resources", href, auth) || registrations.isDisabled("resources", uri, auth))
    return refuse(`Resource ${cut(href)} disabled`);
  const template = registrations.disabledTemplate(href, auth);
  return template === undefined
    ? refuse(`Resource not found: ${cut(uri)}`, { uri: cut(uri) })
    : refuse(`Resource template ${template} disabled`);
}

/** Creates the error for invalid parameters. */
export function refuse(message: string, data?: JsonObject): Failure {
  return { code: ProtocolErrorCode.InvalidParams, message, ...(data === undefined ? {} : { data }) };
}

/** Shortens a client's text, so that a long one is not sent back in full. */
export function cut(text: string): string {
  return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text;
}

/** Longest name or URI in an error message, in characters. */
const MAX_NAME = 256;
