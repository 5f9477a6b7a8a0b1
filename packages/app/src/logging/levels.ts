/**
 * @fileoverview The eight levels of syslog, under the names of the application standard and of MCP.
 * @module app/logging/levels
 */
import type { LogLevel } from "tenon/protocol";

/** The levels, from the least weight to the most. */
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

/** The weight of a log entry. */
export type LoggerLevel = (typeof LOGGER_LEVELS)[number];

/** Reads a level by any of its names: the standard's, MCP's, or a common short one. */
export function readLoggerLevel(name: unknown): LoggerLevel | undefined {
  if (typeof name !== "string") return undefined;
  const wanted = name.toLowerCase();
  return LOGGER_LEVELS.find((level) => level === wanted) ?? ALIASES.get(wanted);
}

/** The weight of a level as a number. */
export function weightOf(level: LoggerLevel): number {
  return LOGGER_LEVELS.indexOf(level);
}

/** The name of a level in MCP. */
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
