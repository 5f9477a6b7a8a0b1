/**
 * @fileoverview A tool in the domain model.
 * @module model/tool
 */
import type { JsonObject } from "@tenon/internal/json";
import type { ModelOptions } from "./base-model.js";
import type { ToolFields } from "./fields.js";
import { GroupItem } from "./group.js";
import type { ToolAnnotations } from "./tool-annotations.js";

/** What a tool may be given beside its name. */
export type ToolOptions = ModelOptions & Partial<ToolFields>;

/** A tool: what it takes, what it gives, and hints on what it does. */
export class Tool extends GroupItem implements ToolFields {
  inputSchema: JsonObject;
  outputSchema: JsonObject | undefined;
  annotations: ToolAnnotations | undefined;

  /** @param options `inputSchema` is any object by default */
  constructor(name: string, options: ToolOptions = {}) {
    super(name, options);
    this.inputSchema = options.inputSchema ?? { type: "object" };
    this.outputSchema = options.outputSchema;
    this.annotations = options.annotations;
  }
}
