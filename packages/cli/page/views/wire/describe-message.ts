/**
 * @fileoverview Describes a message in a few words.
 * @module cli/page-app/views/wire/describe-message
 */
import { isJsonObject, readJson } from "@tenon/internal/json";
import type { WireEntry } from "../../../src/page/protocol.js";
import { toLabel } from "../../state/text.js";

/** Describes a message: the method of a request, or the kind of a response. */
export function describeMessage({ http, text }: Pick<WireEntry, "http" | "text">): string {
  const request = http?.method === undefined ? "" : `${toLabel(http.method, 20)} `;
  if (text === "") return http === undefined ? "Empty message" : `${request}(no body)`;
  const message = readJson(text);
  if (Array.isArray(message)) return `${request}batch of ${message.length}`;
  if (!isJsonObject(message)) return `${request}text`;
  const { method, id } = message;
  const suffix = typeof id === "string" || typeof id === "number" ? ` (ID ${toLabel(String(id), 40)})` : "";
  if (typeof method === "string") return `${request}${toLabel(method, 100)}${suffix}`;
  if (message["error"] !== undefined) return `${request}error${suffix}`;
  return `${request}${message["result"] === undefined ? "message" : "result"}${suffix}`;
}
