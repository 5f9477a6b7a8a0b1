/**
 * @fileoverview Prompt argument in the domain model.
 * @module model/prompt-argument
 */
import { BaseModel, type ModelOptions } from "./base-model.js";

/** Options for `PromptArgument`. */
export interface PromptArgumentOptions extends ModelOptions {
  readonly required?: boolean | undefined;
}

/** Argument that a prompt accepts. */
export class PromptArgument extends BaseModel {
  /** True if callers must provide the argument. `undefined` means optional. */
  required: boolean | undefined;

  constructor(name: string, options: PromptArgumentOptions = {}) {
    super(name, options);
    this.required = options.required;
  }
}
