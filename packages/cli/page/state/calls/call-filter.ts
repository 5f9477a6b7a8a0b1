/**
 * @fileoverview Filter of the list of calls.
 * @module cli/page-app/state/calls/call-filter
 */
import { isJsonObject } from "@tenon/internal/json";
import type { Era } from "tenon/protocol";
import type { CallOutcome, CallSummary } from "../../../src/page/protocol.js";
import type { Setting } from "../memory.js";
import { oneOf, toText } from "../settings.js";
import { matchesQuery, rememberSearchText, toSearchText } from "../text.js";

/** Filter of calls. An empty text accepts everything. */
export interface CallFilter {
  readonly text: string;
  /** Client, as `clientKey` returns it. */
  readonly client: string;
  readonly method: string;
  readonly outcome: CallOutcome | "";
  readonly era: Era | "";
}

/** Filter that accepts all calls. */
export const NO_FILTER: CallFilter = { text: "", client: "", method: "", outcome: "", era: "" };

/** Outcomes of calls, in the order of the filter. */
export const OUTCOMES: readonly CallOutcome[] = ["running", "ok", "tool-error", "error", "cancelled"];

/** Filter that the page remembers. */
export const CALL_FILTER: Setting<CallFilter> = {
  key: "calls.filter",
  initial: NO_FILTER,
  parse: (value) =>
    isJsonObject(value)
      ? {
          text: toText(value["text"]) ?? "",
          client: toText(value["client"]) ?? "",
          method: toText(value["method"]) ?? "",
          outcome: oneOf(value["outcome"], OUTCOMES) ?? "",
          era: oneOf(value["era"], ["legacy", "modern"] as const) ?? "",
        }
      : undefined,
};

/** Returns the calls that a filter accepts, newest first. */
export function filterCalls(calls: Iterable<CallSummary>, filter: CallFilter): readonly CallSummary[] {
  const { client, method, outcome, era } = filter;
  const text = filter.text.trim();
  const accepted: CallSummary[] = [];
  for (const call of calls) {
    const isAccepted =
      (client === "" || clientKey(call) === client) &&
      (method === "" || call.method === method) &&
      (outcome === "" || call.outcome === outcome) &&
      (era === "" || call.era === era) &&
      (text === "" || matchesQuery(searchTextOf(call), text));
    if (isAccepted) accepted.push(call);
  }
  return accepted.toReversed();
}

/** Returns true if a filter leaves out calls. */
export function isFiltering(filter: CallFilter): boolean {
  return Object.values(filter).some((value: string) => value.trim() !== "");
}

/** Returns a text that identifies a client in the filter. Several sessions of a program count as one client. */
export function clientKey({ client }: CallSummary): string {
  return client.kind === "page" ? "page" : `client:${client.name}`;
}

/** Choices of the filter. */
export interface FilterChoices {
  /** Keys and names of clients. */
  readonly clients: ReadonlyMap<string, string>;
  readonly methods: readonly string[];
}

/** Returns the clients and methods of calls. */
export function choicesOf(calls: Iterable<CallSummary>): FilterChoices {
  const clients = new Map<string, string>();
  const methods = new Set<string>();
  for (const call of calls) {
    clients.set(clientKey(call), call.client.name);
    methods.add(call.method);
  }
  return { clients, methods: [...methods].toSorted() };
}

/** Prepared texts. A changed call is another object, so the old text is not found. */
const searchTextOf = /* @__PURE__ */ rememberSearchText((call: CallSummary) =>
  toSearchText(call.name, call.method, call.client.name, call.message, call.id),
);
