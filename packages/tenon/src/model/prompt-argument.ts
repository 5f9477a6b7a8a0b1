/**
 * @fileoverview One argument of a prompt.
 * @module model/prompt-argument
 */
import { BaseModel, type ModelOptions } from "./base-model.js";

/** What a prompt's argument may be given beside its name. */
export interface PromptArgumentOptions extends ModelOptions {
  readonly required?: boolean | undefined;
}

/** One argument of a prompt. */
export class PromptArgument extends BaseModel {
  /** Whether the prompt cannot do without it; absent means that it can. */
  required: boolean | undefined;

  constructor(name: string, options: PromptArgumentOptions = {}) {
    super(name, options);
    this.required = options.required;
  }
}
