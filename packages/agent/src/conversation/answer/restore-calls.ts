/**
 * @fileoverview Restores calls that were stored but did not start, so that they can run after a restart or an approval.
 * @module agent/conversation/restore-calls
 */
import type { ModelMessage } from "../../models/model-port.js";
import type { Transcript } from "../context/transcript.js";
import type { ShownCall } from "./model-response.js";
import type { Toolbox } from "./toolbox.js";

/** Parses the calls of the last response that do not have a result and did not start. */
export function restoreCalls(transcript: Transcript, toolbox: Toolbox): readonly ShownCall[] {
  const open = transcript.openCalls.filter(({ hasBegun }) => !hasBegun);
  const last = transcript.messages.findLast(({ role }) => role === "assistant");
  if (open.length === 0 || last?.role !== "assistant") return [];
  const ids = new Set(open.map(({ callId }) => callId));
  return parse(last, toolbox)
    .filter(({ call }) => ids.has(call.id))
    .map(({ call }) => ({ call, time: transcript.nextTime() }));
}

type AssistantMessage = Extract<ModelMessage, { readonly role: "assistant" }>;

function parse(
  { content, calls = [] }: AssistantMessage,
  toolbox: Toolbox,
): readonly Pick<ShownCall, "call">[] {
  const reader = toolbox.createReader();
  const pieces = calls.length === 0 ? [content] : calls.map((call, index) => ({ call: { index, ...call } }));
  const isNative = toolbox.modelTools.length > 0;
  // The model may have changed to another format of calls since. Such calls cannot be read.
  if (isNative !== calls.length > 0) return [];
  const events = [...pieces.flatMap((piece) => reader.feed(piece)), ...reader.finish()];
  return events.flatMap((event) => (event.type === "call" ? [{ call: event.call }] : []));
}
