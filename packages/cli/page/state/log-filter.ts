/**
 * @fileoverview Filter of the log.
 * @module cli/page-app/state/log-filter
 */
import { isJsonObject } from "@tenon/internal/json";
import { LOG_LEVELS, type LogLevel } from "tenon/protocol";
import type { LogEntry } from "../../src/page/protocol.js";
import type { Setting } from "./memory.js";
import { oneOf, toText } from "./settings.js";
import { matchesQuery, rememberSearchText, toSearchText } from "./text.js";

/** Sources of log messages in words. */
export const LOG_SOURCES: Readonly<Record<LogEntry["source"], string>> = {
  output: "Output",
  server: "Server",
  command: "Command",
};

/** Filter of the log. */
export interface LogFilter {
  readonly text: string;
  /** Least severe level that is shown. */
  readonly level: LogLevel;
  readonly source: LogEntry["source"] | "";
}

/** Filter that the page remembers. */
export const LOG_FILTER: Setting<LogFilter> = {
  key: "log.filter",
  initial: { text: "", level: "debug", source: "" },
  parse: (value) =>
    isJsonObject(value)
      ? {
          text: toText(value["text"]) ?? "",
          level: oneOf(value["level"], LOG_LEVELS) ?? "debug",
          source: oneOf(value["source"], ["output", "server", "command"] as const) ?? "",
        }
      : undefined,
};

/** Level from which the server sends log messages, in one launch of the command. */
export const SERVER_LEVEL: Setting<{ readonly launch: string; readonly level: LogLevel }> = {
  key: "log.server-level",
  initial: { launch: "", level: "info" },
  parse: (value) =>
    isJsonObject(value)
      ? { launch: toText(value["launch"]) ?? "", level: oneOf(value["level"], LOG_LEVELS) ?? "info" }
      : undefined,
};

/** Returns the entries that a filter accepts, oldest first. */
export function filterLog(log: readonly LogEntry[], { text, level, source }: LogFilter): readonly LogEntry[] {
  const least = LOG_LEVELS.indexOf(level);
  const query = text.trim();
  if (least === 0 && source === "" && query === "") return log;
  return log.filter(
    (entry) =>
      LOG_LEVELS.indexOf(entry.level) >= least &&
      (source === "" || entry.source === source) &&
      (query === "" || matchesQuery(searchTextOf(entry), query)),
  );
}

const searchTextOf = /* @__PURE__ */ rememberSearchText((entry: LogEntry) =>
  toSearchText(entry.text, entry.logger),
);

/** Returns the log as a text, one line for each entry. */
export function toLogText(log: readonly LogEntry[]): string {
  return log
    .map(({ at, level, source, logger, text }) => {
      const origin = logger === undefined ? source : `${source} ${logger}`;
      return `${new Date(at).toISOString()} ${level} [${origin}] ${text}`;
    })
    .join("\n");
}
