/**
 * @fileoverview Fields of tools, prompts and resources. Groups use these types instead of the classes, because the
 * classes import the file of the groups.
 * @module model/fields
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Annotations } from "../protocol/index.js";
import type { PromptArgument } from "./prompt-argument.js";
import type { ToolAnnotations } from "./tool-annotations.js";

/** Fields of a tool. */
export interface ToolFields {
  /** JSON Schema of the arguments. */
  inputSchema: JsonObject;
  /** JSON Schema of the structured result. */
  outputSchema: JsonObject | undefined;
  annotations: ToolAnnotations | undefined;
}

/** Fields of a prompt. */
export interface PromptFields {
  arguments: readonly PromptArgument[];
}

/** Fields of a resource. */
export interface ResourceFields {
  uri: string;
  /** Size in bytes, before any encoding. */
  size: number | undefined;
  mimeType: string | undefined;
  annotations: Annotations | undefined;
}
