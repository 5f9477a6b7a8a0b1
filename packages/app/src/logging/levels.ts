/**
 * @fileoverview The eight syslog levels, and their MCP names.
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

/** Parses a level name, an MCP level name, or an alias such as `warn`. Returns `undefined` for any other value. */
export function readLoggerLevel(name: unknown): LoggerLevel | undefined {
  if (typeof name !== "string") return undefined;
  const wanted = name.toLowerCase();
  return LOGGER_LEVELS.find((level) => level === wanted) ?? ALIASES.get(wanted);
}

/** Returns a level's severity as a number, from 0 (`debug`) to 7 (`emerg`). */
export function weightOf(level: LoggerLevel): number {
  return LOGGER_LEVELS.indexOf(level);
}

/** Converts a level to its MCP name. */
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
