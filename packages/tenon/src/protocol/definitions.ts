/**
 * @fileoverview What a server tells of itself and its tools, resources and prompts, in the newest form.
 * @module protocol/definitions
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Annotations, Icon } from "./content.js";

/** A server or client by name. */
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

/** Hints on what a tool does; none of them is a promise. */
export interface ToolHints {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** Where in `_meta` a tool's hint `returnDirect` travels, for which MCP has no place among its hints. */
export const RETURN_DIRECT_META = "tenon/returnDirect";

/** A tool as clients see it. */
export interface McpToolDefinition extends Described {
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolHints;
}

/** A resource as clients see it. */
export interface McpResourceDefinition extends Described {
  readonly uri: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: Annotations;
}

/** A family of resources as clients see it. */
export interface McpResourceTemplateDefinition extends Described {
  readonly uriTemplate: string;
  readonly mimeType?: string;
  readonly annotations?: Annotations;
}

/** One argument of a prompt. */
export interface McpPromptArgumentDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

/** A prompt as clients see it. */
export interface McpPromptDefinition extends Described {
  readonly arguments?: readonly McpPromptArgumentDefinition[];
}

/** What a client declared that it can do. */
export interface ClientCapabilities {
  readonly elicitation?: { readonly form?: JsonObject; readonly url?: JsonObject };
  readonly sampling?: JsonObject;
  readonly roots?: JsonObject;
  readonly tasks?: JsonObject;
  readonly extensions?: Readonly<Record<string, JsonObject>>;
  readonly experimental?: Readonly<Record<string, JsonObject>>;
}

/** The eight levels of RFC 5424, mildest first. */
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

/** The weight of a log message. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Narrows a client's word to a log level. */
export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value);
}
