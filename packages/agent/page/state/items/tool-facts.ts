/**
 * @fileoverview Facts about a tool call for its card.
 * @module agent/page-app/state/items/tool-facts
 */
import { isJsonObject } from "@tenon/internal/json";
import { oneLine } from "@tenon/internal/text";
import type { IconName } from "@tenon/ui/icons/shapes.js";
import { toJsonText } from "@tenon/ui/json/json-value.js";
import type { ToolItem, ToolStatus } from "./item.js";

/** Labels of the statuses. */
export const TOOL_LABELS: Readonly<Record<ToolStatus, string>> = {
  writing: "Writing",
  running: "Running",
  done: "Done",
  failed: "Failed",
  denied: "Denied",
  interrupted: "Stopped",
};

/** Icons of the calls that have ended. */
export const TOOL_ICONS: Readonly<Record<Exclude<ToolStatus, "writing" | "running">, IconName>> = {
  done: "check",
  failed: "error",
  denied: "close",
  interrupted: "stop",
};

/** Parameter of a call. */
export interface Param {
  readonly name: string;
  readonly value: unknown;
}

const MAX_PARAMS = 100;
const MAX_SUMMARY = 120;

/** Returns the parameters of a call. Parameters that are not an object have no name. */
export function toParams(params: unknown): readonly Param[] {
  if (params === undefined || params === null) return [];
  if (!isJsonObject(params)) return [{ name: "", value: params }];
  return Object.entries(params)
    .slice(0, MAX_PARAMS)
    .map(([name, value]) => ({ name, value }));
}

/** Returns one line about a call: its progress or result, or else its first parameter. */
export function summarize({ text, params, error, status }: ToolItem): string {
  if ((status === "failed" || status === "denied") && error !== undefined)
    return oneLine(error.slice(0, 500), MAX_SUMMARY);
  if (text !== "") return oneLine(text.slice(0, 500), MAX_SUMMARY);
  const [first] = toParams(params);
  return first === undefined ? "" : oneLine(toShortText(first.value), MAX_SUMMARY);
}

/** Returns the start of a value as text. */
export function toShortText(value: unknown): string {
  return (typeof value === "string" ? value : toJsonText(value)).slice(0, 500);
}

/** Returns true if the parameters are long enough to be worth watching while the model writes them. */
export function isLongCall({ params }: Pick<ToolItem, "params">): boolean {
  const length = toParams(params).reduce((sum, { value }) => sum + toShortText(value).length, 0);
  return length > MIN_WATCHED;
}

const MIN_WATCHED = 120;
