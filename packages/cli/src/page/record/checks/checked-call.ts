/**
 * @fileoverview A call as its checks see it: its first request, its response, and the definition of its tool.
 * @module cli/page/record/checks/checked-call
 */
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import type { Era, Revision } from "tenon/protocol";
import type { Check, WireEntry } from "../../protocol.js";

/** Call to check. */
export interface CheckedCall {
  readonly method: string;
  readonly era: Era;
  readonly revision: Revision | undefined;
  readonly params: JsonObject | undefined;
  readonly result: JsonObject | undefined;
  readonly wire: readonly WireEntry[];
  /** Definition of the called tool, if it is in the list. */
  readonly tool: JsonObject | undefined;
}

/** Message of a call, or the reason why it cannot be checked. */
export type FoundMessage =
  | { readonly ok: true; readonly message: unknown; readonly entry: WireEntry }
  | { readonly ok: false; readonly reason: string };

/** Returns the first request of a call. */
export function findRequest({ wire, method }: CheckedCall): FoundMessage {
  return read(
    wire.find(({ direction, text }) => direction === "sent" && text.includes(JSON.stringify(method))),
    "The request was not recorded.",
  );
}

/** Returns the response to the last request of a call. */
export function findResponse({ wire }: CheckedCall): FoundMessage {
  const found = wire.findLast(({ direction, text }) => direction === "received" && isResponseText(text));
  return read(found, "There is no response.");
}

/** Creates the result of a check: failed with the reason, or passed. */
export function toCheck(
  title: string,
  problem: string | undefined,
  status: Check["status"] = "failed",
): Check {
  return problem === undefined ? { title, status: "ok" } : { title, status, detail: problem };
}

function read(entry: WireEntry | undefined, missing: string): FoundMessage {
  if (entry === undefined) return { ok: false, reason: missing };
  if (entry.isCut) return { ok: false, reason: "The message is too long to be checked." };
  return { ok: true, message: readJson(entry.text), entry };
}

/** A response has a result or an error, and no method. Text that is not a message is also a response over HTTP. */
function isResponseText(text: string): boolean {
  const value = readJson(text);
  return text !== "" && (!isJsonObject(value) || typeof value["method"] !== "string");
}
