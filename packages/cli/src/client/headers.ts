/**
 * @fileoverview Values for the HTTP headers that repeat parts of a request.
 * @module cli/client/headers
 */
import { toBase64 } from "@tenon/internal/base64";
import type { JsonObject } from "@tenon/internal/json";
import { encodeUtf8 } from "@tenon/internal/utf8";

/** Returns the value for the `Mcp-Name` header: the name, the URI, or the task's ID. */
export function nameHeader(method: string, params: JsonObject): string | undefined {
  const name = method.startsWith("tasks/") ? params["taskId"] : params[NAMES.get(method) ?? ""];
  return typeof name === "string" ? toHeaderValue(name) : undefined;
}

/** Parameters that are repeated in the header, by method. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

/** Converts text to a header value. Text that is not plain ASCII is encoded as base64. */
export function toHeaderValue(value: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith("=?");
  return isPlain ? value : `=?base64?${toBase64(encodeUtf8(value))}?=`;
}
