/**
 * @fileoverview Content blocks, and what tools, resources and prompts give back, in the neutral form that the
 * revisions are projected from.
 * @module protocol/content
 */
import type { JsonObject } from "@tenon/internal/json";

/** The two parties of a conversation, by name. */
export const Role = { USER: "user", ASSISTANT: "assistant" } as const;

/** The author of a message, or the audience of some content. */
export type Role = (typeof Role)[keyof typeof Role];

/** Hints on how a client should use content or a resource. */
export interface Annotations {
  readonly audience?: readonly Role[];
  /** From 0 (optional) to 1 (effectively required). */
  readonly priority?: number;
  /** ISO 8601. */
  readonly lastModified?: string;
}

interface BlockBase {
  readonly annotations?: Annotations;
  readonly _meta?: JsonObject;
}

/** Text for the model. */
export interface TextContent extends BlockBase {
  readonly type: "text";
  readonly text: string;
}

/** A picture, base64. */
export interface ImageContent extends BlockBase {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
}

/** A sound, base64. */
export interface AudioContent extends BlockBase {
  readonly type: "audio";
  readonly data: string;
  readonly mimeType: string;
}

/** A resource inside the result. */
export interface EmbeddedResource extends BlockBase {
  readonly type: "resource";
  readonly resource: ResourceContent;
}

/** A pointer to a resource that the client may read. */
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

/** One piece of a result or a prompt message. */
export type ContentBlock = TextContent | ImageContent | AudioContent | EmbeddedResource | ResourceLink;

/** Content of a resource: text or base64 bytes, exactly one of them. */
export type ResourceContent = TextResourceContent | BlobResourceContent;

/** A resource's text. */
export interface TextResourceContent {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text: string;
  readonly _meta?: JsonObject;
}

/** A resource's bytes, base64. */
export interface BlobResourceContent {
  readonly uri: string;
  readonly mimeType?: string;
  readonly blob: string;
  readonly _meta?: JsonObject;
}

/** A picture that stands for a server, tool, prompt or resource. */
export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: "light" | "dark";
}

/** The result of a tool. */
export interface ToolResult {
  readonly content: readonly ContentBlock[];
  /** The same result as data, by the tool's output schema. */
  readonly structuredContent?: unknown;
  /** A failure that the model should see and may correct. */
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
}

/** The result of reading a resource. */
export interface ReadResult {
  readonly contents: readonly ResourceContent[];
  readonly _meta?: JsonObject;
}

/** One message of a prompt. */
export interface PromptMessage {
  readonly role: Role;
  readonly content: ContentBlock;
}

/** The result of a prompt. */
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
