/**
 * @fileoverview Structured log entries. The application provides the sink that receives them.
 * @module tenon/core/wire/log
 */
import { isJsonObject } from "@tenon/internal/json";
import type { Ports } from "@tenon/internal/ports";

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
      readonly level: "warning";
      /**
       * `node-lost`: another node has not been alive for some seconds. `task-taken-over`: the worker of a task was lost,
       * and this node runs the task again or lets it fail. `store-restored`: the store works again after a failure.
       */
      readonly event: "node-lost" | "store-restored" | "task-taken-over";
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

/** Outages of a server's store and task engine. However many operations fail, an outage is logged once. */
export class Outage {
  readonly #ports: Pick<Ports, "now">;
  #failedAt = -Infinity;
  #endedAt = -Infinity;

  constructor(ports: Pick<Ports, "now">) {
    this.#ports = ports;
  }

  /** True if an outage has ended a moment ago. Operations that have waited for its end still fail. */
  get hasJustEnded(): boolean {
    return this.#ports.now() - this.#endedAt < LATE_MS;
  }

  /** Notes a failed operation. Returns true if it is the first one of an outage. */
  begins(): boolean {
    const now = this.#ports.now();
    const isFirst = now - this.#failedAt > OUTAGE_PAUSE_MS;
    this.#failedAt = now;
    return isFirst;
  }

  /** Notes that the store works again, so that the next failure begins another outage. */
  end(): void {
    this.#failedAt = -Infinity;
    this.#endedAt = this.#ports.now();
  }
}

/** Time in milliseconds without a failure after which the next one begins another outage. */
const OUTAGE_PAUSE_MS = 60_000;

/** Time in milliseconds for which operations of an outage can fail after its end. Changes wait so long for the store. */
const LATE_MS = 30_000;

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

/** Logger for operators, such as `console`. With the stdio transport, it must not write to stdout. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
