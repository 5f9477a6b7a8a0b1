/**
 * @fileoverview What the core has to report to its operator. It installs no sink: the application gives one.
 * @module core/log
 */
import { isJsonObject } from "@tenon/internal/json";

/** One structured line. Texts of clients in it are short and printable. */
export type LogEntry =
  | {
      readonly level: "info";
      readonly event: "initialize";
      readonly revision: string;
      readonly client: string;
    }
  | {
      readonly level: "error";
      readonly event: "handler-failed" | "output-invalid" | "notify-failed" | "state-failed";
      readonly operation: string;
      readonly name: string;
      /** For the operator only; nothing of it went to the client. */
      readonly error: unknown;
    };

/** Takes log entries. */
export type LogSink = (entry: LogEntry) => void;

/** A client's name for a log line: printable, and short enough to do no harm. */
export function clientLabel(clientInfo: unknown): string {
  if (!isJsonObject(clientInfo)) return "unknown";
  const { name, version } = clientInfo;
  return `${printable(name)}/${printable(version)}`;
}

function printable(value: unknown): string {
  return typeof value === "string" ? value.replace(/[^\x20-\x7e]/g, "?").slice(0, 64) : "unknown";
}
