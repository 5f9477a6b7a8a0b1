/**
 * @fileoverview One argument of a prompt.
 * @module model/prompt-argument
 */
import { BaseModel, type ModelOptions } from "./base-model.js";

/** Options of a prompt argument. */
export interface PromptArgumentOptions extends ModelOptions {
  readonly required?: boolean | undefined;
}

/** One argument of a prompt. */
export class PromptArgument extends BaseModel {
  /** True if the prompt needs the argument. `undefined` means optional. */
  required: boolean | undefined;

  constructor(name: string, options: PromptArgumentOptions = {}) {
    super(name, options);
    this.required = options.required;
  }
}
