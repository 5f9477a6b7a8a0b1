/**
 * @fileoverview Cache hints of results in the stateless revision: lifetime and scope.
 * @module sdk/v2/server/cache-hints
 */
import type { McpResponse } from "tenon";
import { resultResponse } from "tenon/host";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { CacheableMethod, CacheHint } from "../types.js";

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

/** Hints of single results, such as those of one resource. */
const resultHints = /* @__PURE__ */ new WeakMap<object, CacheHint>();

/** Attaches a hint to a callback's result. The result itself does not change. */
export function attachHint<Result>(result: Result, hint: CacheHint | undefined): Result {
  if (hint !== undefined && isJsonObject(result)) resultHints.set(result, hint);
  return result;
}

/** Returns the hint that was attached to a result. */
export function hintOf(result: object): CacheHint | undefined {
  return resultHints.get(result);
}
