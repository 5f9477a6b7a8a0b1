/**
 * @fileoverview Definitions of servers, tools, resources, and prompts in the newest revision's format.
 * @module tenon/protocol/definitions
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Annotations, Icon } from "./content.js";

/** Name, version, and other information about a server or client. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly websiteUrl?: string;
  readonly icons?: readonly Icon[];
}

interface Described {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
}

/** Hints about a tool's behavior. Clients must not rely on them for security. */
export interface ToolHints {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** `_meta` key for the `returnDirect` tool hint, which is not one of MCP's annotations. */
export const RETURN_DIRECT_META = "tenon/returnDirect";

/** Tool definition sent to clients. */
export interface McpToolDefinition extends Described {
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolHints;
  /** Support for tasks. Sent only in the revision that has tasks. */
  readonly execution?: { readonly taskSupport?: "required" | "optional" | "forbidden" };
}

/** Resource definition sent to clients. */
export interface McpResourceDefinition extends Described {
  readonly uri: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: Annotations;
}

/** Resource template definition sent to clients. */
export interface McpResourceTemplateDefinition extends Described {
  readonly uriTemplate: string;
  readonly mimeType?: string;
  readonly annotations?: Annotations;
}

/** Prompt argument sent to clients. */
export interface McpPromptArgumentDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

/** Prompt definition sent to clients. */
export interface McpPromptDefinition extends Described {
  readonly arguments?: readonly McpPromptArgumentDefinition[];
}

/** Capabilities that a client declares. */
export interface ClientCapabilities {
  readonly elicitation?: { readonly form?: JsonObject; readonly url?: JsonObject };
  readonly sampling?: JsonObject;
  readonly roots?: JsonObject;
  readonly tasks?: JsonObject;
  readonly extensions?: Readonly<Record<string, JsonObject>>;
  readonly experimental?: Readonly<Record<string, JsonObject>>;
}

/** RFC 5424 log levels, least severe first. */
export const LOG_LEVELS = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;

/** RFC 5424 log level. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Narrows a value to a log level. */
export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value);
}
