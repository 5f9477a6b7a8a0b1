/**
 * @fileoverview Sends log entries as MCP log messages to the client whose call produced them.
 * @module app/logging/client-sink
 */
import type { Call } from "tenon/host";
import { currentScope } from "../context/scope.js";
import { type LoggerLevel, toMcpLevel } from "./levels.js";
import type { LogRecordSink } from "./log-writer.js";

/** Options for `clientSink`. */
export interface ClientSinkOptions {
  /**
   * Minimum level to send. The level that the client requests applies as well.
   * @default "info"
   */
  readonly level?: LoggerLevel;
  /**
   * Maximum number of entries to send per call. Further entries are dropped.
   * @default 100
   */
  readonly maxEntries?: number;
  /** Logger name in the messages. @default none */
  readonly name?: string;
}

/**
 * Creates a sink that sends entries logged during a call to the calling client, as `notifications/message`. Only the
 * message and the `requestId` are sent, never the context, data, or stacks.
 *
 * @example await logger.initialize("info", { sinks: [clientSink()] });
 */
export function clientSink({
  level = "info",
  maxEntries = 100,
  name,
}: ClientSinkOptions = {}): LogRecordSink {
  const sent = new WeakMap<Call, number>();
  return {
    level,
    write({ level: weight, message }) {
      const scope = currentScope();
      const call = scope?.call;
      if (call === undefined) return;
      const count = (sent.get(call) ?? 0) + 1;
      if (count > maxEntries) return;
      sent.set(call, count);
      // `call.log` never rejects. The transport reports its own failures.
      void call.log(toMcpLevel(weight), { message, requestId: scope?.context?.requestId }, name);
    },
  };
}
