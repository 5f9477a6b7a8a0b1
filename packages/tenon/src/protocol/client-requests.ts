/**
 * @fileoverview Types for requests from the server to the client: user input, sampling, and roots.
 * @module tenon/protocol/client-requests
 */
import type { JsonObject } from "@tenon/internal/json";
import type { AudioContent, ContentBlock, ImageContent, Role, TextContent } from "./content.js";

/** User's answer to a form or a link. */
export type InputAnswer<Content> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** Tool call requested by the client's model. */
export interface ToolUseContent {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

/** Result for the `tool_use` block whose ID is `toolUseId`. */
export interface ToolResultContent {
  readonly type: "tool_result";
  readonly toolUseId: string;
  readonly content: readonly ContentBlock[];
  readonly isError?: boolean;
}

/** Content block in a sampling message. */
export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;

/** Message in the conversation that the client's model continues. */
export interface SamplingMessage {
  readonly role: Role;
  readonly content: SamplingContent | readonly SamplingContent[];
}

/** Request for a completion from the client's model. The client may let its user review or change it. */
export interface SamplingRequest {
  readonly messages: readonly SamplingMessage[];
  readonly maxTokens: number;
  readonly systemPrompt?: string;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly includeContext?: "none" | "thisServer" | "allServers";
  readonly modelPreferences?: {
    readonly hints?: readonly { readonly name?: string }[];
    readonly costPriority?: number;
    readonly speedPriority?: number;
    readonly intelligencePriority?: number;
  };
  readonly metadata?: JsonObject;
  readonly tools?: readonly JsonObject[];
  readonly toolChoice?: { readonly mode?: "auto" | "required" | "none" };
}

/** Completion from the client's model. */
export interface SamplingResult {
  readonly role: Role;
  readonly content: SamplingContent | readonly SamplingContent[];
  readonly model: string;
  readonly stopReason?: string;
}

/** Directory or other location that the client makes available to the server. */
export interface Root {
  readonly uri: string;
  readonly name?: string;
}
