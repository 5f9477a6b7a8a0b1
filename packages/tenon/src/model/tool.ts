/**
 * @fileoverview A tool in the domain model.
 * @module model/tool
 */
import type { JsonObject } from "@tenon/internal/json";
import type { ModelOptions } from "./base-model.js";
import type { ToolFields } from "./fields.js";
import { GroupItem } from "./group.js";
import type { ToolAnnotations } from "./tool-annotations.js";

/** Options of a tool. */
export type ToolOptions = ModelOptions & Partial<ToolFields>;

/** A tool: its input and output schemas, and annotations. */
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
