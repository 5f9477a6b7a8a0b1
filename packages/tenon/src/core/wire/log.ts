/**
 * @fileoverview Log entries of the core. The application provides the sink.
 * @module core/log
 */
import { isJsonObject } from "@tenon/internal/json";

/** Structured log entry. Text from clients is shortened and limited to printable characters. */
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
      /** Error for the operator. It was not sent to the client. */
      readonly error: unknown;
    };

/** Function that receives log entries. */
export type LogSink = (entry: LogEntry) => void;

/** Returns the client's name and version for a log entry, shortened and limited to printable characters. */
export function clientLabel(clientInfo: unknown): string {
  if (!isJsonObject(clientInfo)) return "unknown";
  const { name, version } = clientInfo;
  return `${printable(name)}/${printable(version)}`;
}

function printable(value: unknown): string {
  return typeof value === "string" ? value.replace(/[^\x20-\x7e]/g, "?").slice(0, 64) : "unknown";
}
