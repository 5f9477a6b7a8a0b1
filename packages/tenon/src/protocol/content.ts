/**
 * @fileoverview Content blocks and results of tools, resources and prompts. They are projected to each revision.
 * @module protocol/content
 */
import type { JsonObject } from "@tenon/internal/json";

/** Roles in a conversation. */
export const Role = { USER: "user", ASSISTANT: "assistant" } as const;

/** Author of a message, or audience of content. */
export type Role = (typeof Role)[keyof typeof Role];

/** Hints for clients on how to use content or a resource. */
export interface Annotations {
  readonly audience?: readonly Role[];
  /** Priority from 0 (optional) to 1 (effectively required). */
  readonly priority?: number;
  /** Time of the last change, in ISO 8601. */
  readonly lastModified?: string;
}

interface BlockBase {
  readonly annotations?: Annotations;
  readonly _meta?: JsonObject;
}

/** Text block. */
export interface TextContent extends BlockBase {
  readonly type: "text";
  readonly text: string;
}

/** Image block, in base64. */
export interface ImageContent extends BlockBase {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
}

/** Audio block, in base64. */
export interface AudioContent extends BlockBase {
  readonly type: "audio";
  readonly data: string;
  readonly mimeType: string;
}

/** Resource embedded in a result. */
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

/** Content block of a result or prompt message. */
export type ContentBlock = TextContent | ImageContent | AudioContent | EmbeddedResource | ResourceLink;

/** Content of a resource: either text or base64. */
export type ResourceContent = TextResourceContent | BlobResourceContent;

/** Text content of a resource. */
export interface TextResourceContent {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text: string;
  readonly _meta?: JsonObject;
}

/** Binary content of a resource, in base64. */
export interface BlobResourceContent {
  readonly uri: string;
  readonly mimeType?: string;
  readonly blob: string;
  readonly _meta?: JsonObject;
}

/** Icon of a server, tool, prompt or resource. */
export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: "light" | "dark";
}

/** Result of a tool. */
export interface ToolResult {
  readonly content: readonly ContentBlock[];
  /** Result as data that matches the tool's output schema. */
  readonly structuredContent?: unknown;
  /** True for an error that the model sees and can correct. */
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
}

/** Result of reading a resource. */
export interface ReadResult {
  readonly contents: readonly ResourceContent[];
  readonly _meta?: JsonObject;
}

/** Message of a prompt. */
export interface PromptMessage {
  readonly role: Role;
  readonly content: ContentBlock;
}

/** Result of a prompt. */
export interface PromptResult {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
  readonly _meta?: JsonObject;
}

/** Suggestions for an argument. */
export interface Completion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}
