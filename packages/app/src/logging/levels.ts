/**
 * @fileoverview The eight syslog levels, with their names in the application standard and in MCP.
 * @module app/logging/levels
 */
import type { LogLevel } from "tenon/protocol";

/** Log levels, from least to most severe. */
export const LOGGER_LEVELS = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "crit",
  "alert",
  "emerg",
] as const;

/** Severity of a log entry. */
export type LoggerLevel = (typeof LOGGER_LEVELS)[number];

/** Parses a level by its standard name, its MCP name or a common short name. */
export function readLoggerLevel(name: unknown): LoggerLevel | undefined {
  if (typeof name !== "string") return undefined;
  const wanted = name.toLowerCase();
  return LOGGER_LEVELS.find((level) => level === wanted) ?? ALIASES.get(wanted);
}

/** Returns the severity of a level as a number. */
export function weightOf(level: LoggerLevel): number {
  return LOGGER_LEVELS.indexOf(level);
}

/** Returns the MCP name of a level. */
export function toMcpLevel(level: LoggerLevel): LogLevel {
  if (level === "crit") return "critical";
  return level === "emerg" ? "emergency" : level;
}

const ALIASES: ReadonlyMap<string, LoggerLevel> = /* @__PURE__ */ new Map([
  ["trace", "debug"],
  ["warn", "warning"],
  ["critical", "crit"],
  ["emergency", "emerg"],
  ["fatal", "emerg"],
]);
