/**
 * @fileoverview Entries as MCP log messages, for the client whose call wrote them.
 * @module app/logging/client-sink
 */
import type { Call } from "tenon/host";
import { currentScope } from "../context/scope.js";
import { type LoggerLevel, toMcpLevel } from "./levels.js";
import type { LogRecordSink } from "./log-writer.js";

/** Options of `clientSink`. */
export interface ClientSinkOptions {
  /**
   * The least weight that is offered; of that the client hears what it asked for.
   * @default "info"
   */
  readonly level?: LoggerLevel;
  /**
   * Most entries of one call.
   * @default 100
   */
  readonly maxEntries?: number;
  /** The `logger` that clients are shown. */
  readonly name?: string;
}

/**
 * Sends what is logged during a call to the client that made it, as `notifications/message`. It hears the message and
 * the `requestId`: context, data and stacks stay here.
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
      // It never rejects: a wire that fails shows that on its own.
      void call.log(toMcpLevel(weight), { message, requestId: scope?.context?.requestId }, name);
    },
  };
}
