/**
 * @fileoverview Words and colors for outcomes, methods, and eras.
 * @module cli/page-app/state/calls/call-facts
 */
import type { Tone } from "@tenon/ui/components/controls/badge.js";
import type { IconName } from "@tenon/ui/icons/shapes.js";
import type { Era } from "tenon/protocol";
import type { CallOutcome, CallSummary, Check } from "../../../src/page/protocol.js";
import { toLabel } from "../text.js";

/** Outcomes in words. */
export const OUTCOME_FACTS: Readonly<
  Record<CallOutcome, { readonly label: string; readonly tone: Tone; readonly icon: IconName }>
> = {
  running: { label: "Running", tone: "info", icon: "play" },
  ok: { label: "OK", tone: "success", icon: "success" },
  "tool-error": { label: "Tool error", tone: "warning", icon: "warning" },
  error: { label: "Error", tone: "danger", icon: "error" },
  cancelled: { label: "Cancelled", tone: "neutral", icon: "stop" },
};

/** Eras in words. */
export const ERA_LABELS: Readonly<Record<Era, string>> = { legacy: "Legacy", modern: "Modern" };

/** Statuses of checks in words. */
export const CHECK_FACTS: Readonly<
  Record<Check["status"], { readonly label: string; readonly tone: Tone; readonly icon: IconName }>
> = {
  ok: { label: "Passed", tone: "success", icon: "success" },
  warning: { label: "Warning", tone: "warning", icon: "warning" },
  failed: { label: "Failed", tone: "danger", icon: "error" },
  "not-checked": { label: "Not checked", tone: "neutral", icon: "minus" },
};

/** Returns the name of a call for lists: the tool, URI, or prompt, or the method. */
export function callLabel({ name, method }: Pick<CallSummary, "name" | "method">): string {
  return toLabel(name ?? method);
}

/** Returns the most severe status of checks, or `undefined` if all have passed. */
export function worstCheck(checks: readonly Check[]): "failed" | "warning" | undefined {
  return (["failed", "warning"] as const).find((status) => checks.some((check) => check.status === status));
}

/** Returns true if the page can cancel a call. */
export function isCancellable({ client, outcome }: CallSummary): boolean {
  return client.kind === "page" && outcome === "running";
}

/** Returns the last call of a tool, newest first, among those that the filter accepts. */
export function findLastCall(
  calls: ReadonlyMap<string, CallSummary>,
  accepts: (call: CallSummary) => boolean,
): CallSummary | undefined {
  return [...calls.values()].findLast(accepts);
}
