/**
 * @fileoverview What is wrong with a value, in one bounded line that a model can act on.
 * @module schema/issues
 */
import type { Issue } from "./schema.js";

/** `path: message; path: message`, cut after a sensible length. */
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
