/**
 * @fileoverview Converts a server's response to data for the command. Unexpected errors get their own message, which a
 * server hides from clients in production.
 * @module cli/dev/server/server-reply
 */
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { decodeUtf8 } from "@tenon/internal/utf8";
import type { JsonRpcRequest } from "tenon/protocol";
import type { ServerReply } from "../messages/messages.js";
import type { WatchedResponse } from "./call-watch.js";

/** Converts the response to a request. */
export function toServerReply(
  { response, failure }: Pick<WatchedResponse, "response" | "failure">,
  request: JsonRpcRequest,
): ServerReply {
  if (response.isEmpty()) return { type: "empty" };
  if (response.error !== undefined) {
    const { code = 0, message = "", data } = response.toJSON()?.error ?? {};
    const shown = failure !== undefined && message === HIDDEN_ERROR ? failure.message : message;
    return { type: "error", error: response.error, code, message: shown, data };
  }
  const { payload } = response.parts();
  const text = typeof payload === "string" ? payload : (decodeUtf8(payload) ?? "null");
  if (request.method !== "tools/call" || !text.includes(ERROR_MARK)) return { type: "result", payload: text };
  const result = readJson(text);
  if (!isJsonObject(result) || result["isError"] !== true) return { type: "result", payload: text };
  const problem = firstText(result);
  const isHidden = problem === `Tool ${String(request.params?.["name"])} failed`;
  if (failure === undefined || !isHidden) return { type: "result", payload: text, problem };
  const content = [{ type: "text", text: failure.message }];
  return { type: "result", payload: JSON.stringify({ ...result, content }), problem: failure.message };
}

/** Message of an unexpected error, unless the server exposes errors. */
const HIDDEN_ERROR = "Internal error";
const ERROR_MARK = '"isError":true';

function firstText({ content }: JsonObject): string {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = blocks.map((block) => (isJsonObject(block) ? block["text"] : undefined));
  return texts.find((text) => typeof text === "string") ?? "";
}
