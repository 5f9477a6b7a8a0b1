/**
 * @fileoverview Explains to the user why a connection failed.
 * @module cli/page/workbench/connections/describe-failure
 */
import { oneLine } from "@tenon/internal/text";
import { messageOf } from "@tenon/internal/thrown";
import { ConnectionError } from "tenon/client";

/** Describes an error of a connection. */
export function describeFailure(error: unknown): string {
  return oneLine(messageOf(error) ?? "The connection failed for an unknown reason.", 2_000);
}

/** Returns true if the server may become reachable again without a change by the user. */
export function isTemporary(error: unknown): boolean {
  return error instanceof ConnectionError && TEMPORARY.has(error.code);
}

const TEMPORARY: ReadonlySet<string> = new Set(["unreachable", "closed", "session-expired", "timeout"]);
