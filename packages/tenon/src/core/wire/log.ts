/**
 * @fileoverview Structured log entries. The application provides the sink that receives them.
 * @module core/log
 */
import { isJsonObject } from "@tenon/internal/json";

/** Structured log entry. Text from clients is truncated and limited to printable ASCII. */
export type LogEntry =
  | {
      readonly level: "info";
      readonly event: "initialize";
      readonly revision: string;
      readonly client: string;
    }
  | {
      readonly level: "info";
      /** The arguments of a call do not match the input schema. The caller received the same message. */
      readonly event: "arguments-rejected";
      readonly operation: string;
      readonly name: string;
      readonly message: string;
    }
  | {
      readonly level: "error";
      readonly event:
        | "handler-failed"
        | "output-invalid"
        | "notify-failed"
        | "state-failed"
        | "store-failed"
        | "task-failed";
      readonly operation: string;
      readonly name: string;
      /** Original error, for the operator only. It was not sent to the client. */
      readonly error: unknown;
    };

/** Receives log entries. */
export type LogSink = (entry: LogEntry) => void;

/** Logs a call whose arguments were rejected. The message can contain keys that the client chose, so it is bounded. */
export function logRejected(
  log: LogSink | undefined,
  { operation, name, message }: { operation: string; name: string; message: string },
): void {
  if (log === undefined) return;
  const shown = message.slice(0, MAX_MESSAGE).replace(/[^\x20-\x7e]/g, "?");
  log({ level: "info", event: "arguments-rejected", operation, name, message: shown });
}

const MAX_MESSAGE = 1_000;

/** Formats the client's name and version as `name/version`, each truncated to 64 printable ASCII characters. */
export function clientLabel(clientInfo: unknown): string {
  if (!isJsonObject(clientInfo)) return "unknown";
  const { name, version } = clientInfo;
  return `${printable(name)}/${printable(version)}`;
}

function printable(value: unknown): string {
  return typeof value === "string" ? value.replace(/[^\x20-\x7e]/g, "?").slice(0, 64) : "unknown";
}
