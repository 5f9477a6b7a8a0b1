/**
 * @fileoverview Writes server events to the application's log.
 * @module app/logging/core-log
 */
import type { LogEntry, LogSink } from "tenon";
import { METHOD_OF } from "../context/operation-methods.js";
import { type RequestContextService, requestContextService } from "../context/request-context-service.js";
import type { RequestContext } from "../context/request-context.js";
import { isReported } from "./reported.js";
import type { ContextLogger } from "./logger.js";

/** Options for `toCoreLog`. */
export interface CoreLogOptions {
  /** Creates the request contexts. @default the application's shared service */
  readonly contextService?: RequestContextService;
}

/**
 * Creates the `log` option for `defineServer`. Every entry has a request context. Failures that `standard()` has
 * logged are skipped.
 *
 * @example defineServer({ name: "shop", version: "1.0.0", log: toCoreLog(logger) }).use(standard({ logger }))
 */
export function toCoreLog(logger: ContextLogger, options: CoreLogOptions = {}): LogSink {
  const { contextService = requestContextService } = options;
  const contextOf = (operation: string, name?: string): RequestContext =>
    contextService.createRequestContext({ operation, ...nameMember(operation, name) });
  return (entry) => {
    if (entry.event === "initialize") {
      const { client, revision } = entry;
      logger.info("Client connected.", contextOf("initialize"), { client, revision });
    } else if (entry.event === "arguments-rejected") {
      const { operation, name, message } = entry;
      const text = `${operation} ${name} was rejected: its arguments do not match the input schema.`;
      logger.info(text, contextOf(operation, name), { reason: message });
    } else if (entry.level === "warning") {
      logger.warning(entry.message, contextOf(entry.operation, entry.name));
    } else if (!isReported(entry.error)) {
      const { operation, name, error } = entry;
      logger.error(textOf(entry), contextOf(operation, name), { operation, name, error });
    }
  };
}

/** Returns the tool, resource, or prompt name under the same member name as in a call's context. */
function nameMember(operation: string, name: string | undefined): Readonly<Record<string, string>> {
  const kind = Object.entries(METHOD_OF).find(([, method]) => method === operation)?.[0];
  return kind === undefined || name === undefined ? {} : { [`${kind}Name`]: name };
}

function textOf({ event, operation, name }: Extract<LogEntry, { level: "error" }>): string {
  switch (event) {
    case "output-invalid":
      return "The result does not match the output schema, or cannot be serialized to JSON.";
    case "notify-failed":
      return "Could not send a notification.";
    case "state-failed":
      return "Could not encrypt the call state.";
    default:
      return `${operation} ${name} failed.`;
  }
}
