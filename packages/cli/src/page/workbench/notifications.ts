/**
 * @fileoverview Converts log messages of a server to lines of the page's log.
 * @module cli/page/workbench/notifications
 */
import { isJsonObject } from "@tenon/internal/json";
import { isLogLevel } from "tenon/protocol";
import type { LogLine } from "../feed/log-feed.js";
import { toLabel } from "../record/limits.js";

/** Converts a notification. Returns `undefined` if it is not a log message. */
export function toLogLine({
  method,
  params,
}: {
  readonly method: string;
  readonly params?: unknown;
}): LogLine | undefined {
  if (method !== "notifications/message" || !isJsonObject(params)) return undefined;
  const { level, logger, data } = params;
  return {
    source: "server",
    level: isLogLevel(level) ? level : "info",
    logger: typeof logger === "string" ? toLabel(logger, 100) : undefined,
    text: typeof data === "string" ? data : (JSON.stringify(data) ?? ""),
  };
}
