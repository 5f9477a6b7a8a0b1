/**
 * @fileoverview Fields of tools, prompts, and resources. `group.ts` uses these types instead of the classes to avoid an
 * import cycle.
 * @module model/fields
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Annotations } from "../protocol/index.js";
import type { PromptArgument } from "./prompt-argument.js";
import type { ToolAnnotations } from "./tool-annotations.js";

/** Tool fields in addition to those of `BaseModel`. */
export interface ToolFields {
  /** JSON Schema for the arguments. */
  inputSchema: JsonObject;
  /** JSON Schema for the structured result. */
  outputSchema: JsonObject | undefined;
  annotations: ToolAnnotations | undefined;
}

/** Prompt fields in addition to those of `BaseModel`. */
export interface PromptFields {
  arguments: readonly PromptArgument[];
}

/** Resource fields in addition to those of `BaseModel`. */
export interface ResourceFields {
  uri: string;
  /** Size in bytes, before any encoding. */
  size: number | undefined;
  mimeType: string | undefined;
  annotations: Annotations | undefined;
}
