/**
 * @fileoverview Tool in the domain model.
 * @module model/tool
 */
import type { JsonObject } from "@tenon/internal/json";
import type { ModelOptions } from "./base-model.js";
import type { ToolFields } from "./fields.js";
import { GroupItem } from "./group.js";
import type { ToolAnnotations } from "./tool-annotations.js";

/** Options for `Tool`. */
export type ToolOptions = ModelOptions & Partial<ToolFields>;

/** Tool with input and output schemas and annotations. It can belong to more than one group. */
export class Tool extends GroupItem implements ToolFields {
  inputSchema: JsonObject;
  outputSchema: JsonObject | undefined;
  annotations: ToolAnnotations | undefined;

  /** @param options `inputSchema` accepts any object by default */
  constructor(name: string, options: ToolOptions = {}) {
    super(name, options);
    this.inputSchema = options.inputSchema ?? { type: "object" };
    this.outputSchema = options.outputSchema;
    this.annotations = options.annotations;
  }
}
