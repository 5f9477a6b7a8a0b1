/**
 * @fileoverview Content blocks and the results of tools, resources, and prompts. Encoders adapt them to each protocol
 * revision.
 * @module tenon/protocol/content
 */
import type { JsonObject } from "@tenon/internal/json";

/** Conversation roles. */
export const Role = { USER: "user", ASSISTANT: "assistant" } as const;

/** Role of a message's author or of the intended audience. */
export type Role = (typeof Role)[keyof typeof Role];

/** Hints that tell clients how to use content or a resource. */
export interface Annotations {
  readonly audience?: readonly Role[];
  /** Priority from 0 (optional) to 1 (effectively required). */
  readonly priority?: number;
  /** Time of the last change in ISO 8601 format. */
  readonly lastModified?: string;
}

interface BlockBase {
  readonly annotations?: Annotations;
  readonly _meta?: JsonObject;
}

/** Plain text block. */
export interface TextContent extends BlockBase {
  readonly type: "text";
  readonly text: string;
}

/** Image block with base64-encoded data. */
export interface ImageContent extends BlockBase {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
}

/** Audio block with base64-encoded data. */
export interface AudioContent extends BlockBase {
  readonly type: "audio";
  readonly data: string;
  readonly mimeType: string;
}

/** Resource embedded in a result, including its content. */
export interface EmbeddedResource extends BlockBase {
  readonly type: "resource";
  readonly resource: ResourceContent;
}

/** Link to a resource that the client can read. */
export interface ResourceLink extends BlockBase {
  readonly type: "resource_link";
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly icons?: readonly Icon[];
}

/** Content block in a tool result or prompt message. */
export type ContentBlock = TextContent | ImageContent | AudioContent | EmbeddedResource | ResourceLink;

/** Resource content as text or base64. */
export type ResourceContent = TextResourceContent | BlobResourceContent;

/** Resource content as text. */
export interface TextResourceContent {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text: string;
  readonly _meta?: JsonObject;
}

/** Binary resource content, encoded as base64. */
export interface BlobResourceContent {
  readonly uri: string;
  readonly mimeType?: string;
  readonly blob: string;
  readonly _meta?: JsonObject;
}

/** Icon for a server, tool, prompt, or resource. */
export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: "light" | "dark";
}

/** Result of a tool call. */
export interface ToolResult {
  readonly content: readonly ContentBlock[];
  /** Structured result. Must match the tool's output schema if the tool declares one. */
  readonly structuredContent?: unknown;
  /** True if the call failed. The model sees the content and can correct its call. */
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
}

/** Result of reading a resource. */
export interface ReadResult {
  readonly contents: readonly ResourceContent[];
  readonly _meta?: JsonObject;
}

/** Message in a prompt. */
export interface PromptMessage {
  readonly role: Role;
  readonly content: ContentBlock;
}

/** Result of `prompts/get`. */
export interface PromptResult {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
  readonly _meta?: JsonObject;
}

/** Suggested values for an argument. */
export interface Completion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}
