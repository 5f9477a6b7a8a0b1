/**
 * @fileoverview Describes a call that has ended.
 * @module cli/dev/log/call-event
 */
import { oneLine } from "@tenon/internal/text";
import type { JsonRpcRequest } from "tenon/protocol";
import type { ServerReply } from "../messages/messages.js";
import type { CallEvent } from "./events.js";

/** Describes a call and its outcome. Shortens the texts, because the client and the server can choose their length. */
export function toCallEvent({ method, params }: JsonRpcRequest, reply: ServerReply, ms: number): CallEvent {
  const name = [params?.["name"], params?.["uri"], params?.["taskId"]].find((one) => typeof one === "string");
  const call = {
    event: "call",
    method: toLine(method),
    name: name && toLine(name),
    ms: Math.round(ms * 10) / 10,
  } as const;
  if (reply.type === "empty") return { ...call, outcome: "cancelled" };
  if (reply.type === "error")
    return { ...call, outcome: "error", code: reply.code, message: toLine(reply.message) };
  if (reply.problem === undefined) return { ...call, outcome: "ok" };
  return { ...call, outcome: "tool-error", message: toLine(reply.problem) };
}

/** Maximum number of characters in a text. Longer texts are cut before anything else is done with them. */
const MAX_TEXT = 1_000;

function toLine(text: string): string {
  return oneLine(text.slice(0, MAX_TEXT), MAX_TEXT);
}
