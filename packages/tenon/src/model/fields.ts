/**
 * @fileoverview What tools, prompts and resources have each of their own. Groups know their items by these shapes,
 * because the classes of the items stand on the file of the groups.
 * @module model/fields
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Annotations } from "../protocol/index.js";
import type { PromptArgument } from "./prompt-argument.js";
import type { ToolAnnotations } from "./tool-annotations.js";

/** What makes an item a tool. */
export interface ToolFields {
  /** JSON Schema of the arguments. */
  inputSchema: JsonObject;
  /** JSON Schema of the structured result. */
  outputSchema: JsonObject | undefined;
  annotations: ToolAnnotations | undefined;
}

/** What makes an item a prompt. */
export interface PromptFields {
  arguments: readonly PromptArgument[];
}

/** What makes an item a resource. */
export interface ResourceFields {
  uri: string;
  /** In bytes, before any encoding. */
  size: number | undefined;
  mimeType: string | undefined;
  annotations: Annotations | undefined;
}
