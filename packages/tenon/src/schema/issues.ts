/**
 * @fileoverview Formats validation issues as one line of bounded length for the model.
 * @module tenon/schema/issues
 */
import type { Issue } from "./schema.js";

/** Formats issues as `path: message; path: message`. Shows at most 20 issues of 300 characters each. */
export function describeIssues(issues: readonly Issue[]): string {
  const shown = issues.slice(0, MAX_ISSUES).map(describeIssue);
  if (issues.length > MAX_ISSUES) shown.push(`and ${issues.length - MAX_ISSUES} more`);
  return shown.join("; ");
}

const MAX_ISSUES = 20;
const MAX_LENGTH = 300;

function describeIssue({ path, message }: Issue): string {
  const where = (path ?? [])
    .map((segment) => String(typeof segment === "object" ? segment.key : segment))
    .join(".");
  const line = where === "" || message.startsWith(`${where} `) ? message : `${where}: ${message}`;
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
}
